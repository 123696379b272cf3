/* SPDX-License-Identifier: MIT */
/*
 * Edit distance with swaps (optimal string alignment), three rows of the table at a time:
 * "qurey" is one step from "query". A name counts as near within a third of its length.
 */
#include "spelling.h"

#include <string.h>

enum { LONGEST = 32 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1];
    size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= strlen(a); i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t change = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(change, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[strlen(a) % 3][width];
}

void suggestion_consider(struct suggestion *near, const char *name)
{
    size_t typed = strlen(near->typed), length = strlen(name);
    if (!typed || typed > LONGEST || length > LONGEST)
        return;
    int begins = typed >= 2 && !strncmp(name, near->typed, typed);
    size_t distance = begins ? 1 : edit_distance(near->typed, name);
    if (distance > (length + 2) / 3 || distance >= length || (near->best && distance >= near->distance))
        return;
    near->best = name;
    near->distance = distance;
}
