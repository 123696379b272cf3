/* SPDX-License-Identifier: MIT */
#include "topics.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

/* How deep a heading is; 0 for other lines. Blocks of code have lines that begin with #, too. */
static size_t heading_depth(const char *line)
{
    size_t depth = strspn(line, "#");
    return line[depth] == ' ' ? depth : 0;
}

/* The name that links give a heading: small letters and digits, hyphens for spaces, nothing else. */
static void anchor_of(const char *line, char out[LONGEST_NAME])
{
    size_t length = 0;
    for (line += strspn(line, "# "); *line && *line != '\n' && length < LONGEST_NAME - 1; line++)
        if (isalnum((unsigned char)*line) || *line == '-' || *line == '_')
            out[length++] = (char)tolower((unsigned char)*line);
        else if (*line == ' ')
            out[length++] = '-';
    out[length] = '\0';
}

static bool print_section(FILE *out, const char *const *lines, const char *wanted)
{
    size_t inside = 0;
    bool fenced = false;
    for (; *lines; lines++) {
        char anchor[LONGEST_NAME];
        if (!strncmp(*lines, "```", 3))
            fenced = !fenced;
        size_t depth = fenced ? 0 : heading_depth(*lines);
        if (inside && depth && depth <= inside)
            break;
        if (depth && !inside) {
            anchor_of(*lines, anchor);
            inside = strcmp(anchor, wanted) ? 0 : depth;
        }
        if (inside)
            (void)fputs(*lines, out);
    }
    return inside;
}

bool topic_print(FILE *out, const char *wanted)
{
    if (!strncmp(wanted, "docs/", 5))
        wanted += 5;
    size_t length = strcspn(wanted, ".#");
    const char *section = strchr(wanted, '#');
    for (const struct topic *topic = topics; topic->name; topic++) {
        if (strlen(topic->name) != length || strncmp(topic->name, wanted, length) != 0)
            continue;
        if (section)
            return print_section(out, topic->lines, section + 1);
        for (const char *const *line = topic->lines; *line; line++)
            (void)fputs(*line, out);
        return true;
    }
    return false;
}
