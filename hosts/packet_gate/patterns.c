/* SPDX-License-Identifier: MIT */
/*
 * The automaton of Aho and Corasick ("Efficient string matching", 1975), as a table: a state is a row, a byte is a
 * column, the cell is the next state. Bytes that no pattern has share column 0, so that a few text patterns do not need
 * 256 columns. A cell of a state that ends a pattern is MATCH: as the search starts anew there, such states need no row
 * to go on.
 *
 * Patterns "he" and "she", columns e = 1, h = 2, s = 3:   state 0 (nothing)  e 0  h 1      s 2
 *                                                         state 1 (h)        e MATCH  h 1  s 2
 *                                                         state 2 (s)        e 0  h 3      s 2
 *                                                         state 3 (sh)       e MATCH  h 1  s 2
 */
#include "patterns.h"

#include <stdlib.h>
#include <string.h>

/* Cells hold row numbers times the number of columns: the next cell is one addition away. */
#define MATCH UINT32_MAX

struct patterns {
    uint16_t column[256];
    uint32_t columns;
    uint32_t rows;
    size_t count;
    uint32_t *next; /* owned: rows * columns cells */
};

/* Only while building. */
struct trie {
    struct patterns *patterns;
    uint32_t *fail;  /* owned, per row: the longest proper suffix that is a row too */
    uint32_t *queue; /* owned: rows in order of length */
    uint8_t *ends;   /* owned, per row: a pattern ends here */
};

static void choose_columns(struct patterns *patterns, const uint8_t *const *data, const size_t *sizes, size_t count)
{
    uint8_t used[256] = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sizes[i]; j++)
            used[data[i][j]] = 1;
    patterns->columns = 1;
    for (unsigned byte = 0; byte < 256; byte++)
        if (used[byte])
            patterns->column[byte] = (uint16_t)patterns->columns++;
}

/* Here cells are plain row numbers, 0 for none. */
static void add_pattern(struct trie *trie, const uint8_t *data, size_t size)
{
    struct patterns *patterns = trie->patterns;
    uint32_t row = 0;
    for (size_t i = 0; i < size; i++) {
        uint32_t *cell = &patterns->next[(size_t)row * patterns->columns + patterns->column[data[i]]];
        if (!*cell)
            *cell = patterns->rows++;
        row = *cell;
    }
    trie->ends[row] = 1;
}

/* The row's own children get their suffixes; its empty cells get those of its suffix, which is complete already. */
static void complete_row(struct trie *trie, uint32_t row, uint32_t *queued)
{
    const uint32_t columns = trie->patterns->columns;
    uint32_t *cells = trie->patterns->next + (size_t)row * columns;
    const uint32_t *suffix = trie->patterns->next + (size_t)trie->fail[row] * columns;
    for (uint32_t column = 1; column < columns; column++) {
        uint32_t child = cells[column];
        if (!child) {
            cells[column] = row ? suffix[column] : 0;
            continue;
        }
        trie->fail[child] = row ? suffix[column] : 0;
        trie->ends[child] |= trie->ends[trie->fail[child]];
        trie->queue[(*queued)++] = child;
    }
}

static void complete(struct trie *trie)
{
    struct patterns *patterns = trie->patterns;
    uint32_t queued = 1;
    for (uint32_t at = 0; at < queued; at++)
        complete_row(trie, trie->queue[at], &queued);
    size_t cells = (size_t)patterns->rows * patterns->columns;
    for (size_t i = 0; i < cells; i++)
        patterns->next[i] = trie->ends[patterns->next[i]] ? MATCH : patterns->next[i] * patterns->columns;
}

struct patterns *patterns_new(const uint8_t *const *data, const size_t *sizes, size_t count)
{
    size_t rows = 1;
    for (size_t i = 0; i < count; i++) {
        if (sizes[i] == 0 || sizes[i] > PATTERNS_MOST_BYTES + 1 - rows)
            return NULL;
        rows += sizes[i];
    }
    struct trie trie = {.patterns = calloc(1, sizeof *trie.patterns)};
    if (!trie.patterns)
        return NULL;
    choose_columns(trie.patterns, data, sizes, count);
    trie.patterns->rows = 1;
    trie.patterns->count = count;
    trie.patterns->next = calloc(rows * trie.patterns->columns, sizeof *trie.patterns->next);
    trie.fail = calloc(rows, sizeof *trie.fail);
    trie.queue = calloc(rows, sizeof *trie.queue);
    trie.ends = calloc(rows, sizeof *trie.ends);
    if (!trie.patterns->next || !trie.fail || !trie.queue || !trie.ends) {
        patterns_free(trie.patterns);
        trie.patterns = NULL;
        goto out;
    }
    for (size_t i = 0; i < count; i++)
        add_pattern(&trie, data[i], sizes[i]);
    complete(&trie);
out:
    free(trie.fail);
    free(trie.queue);
    free(trie.ends);
    return trie.patterns;
}

unsigned patterns_scan(const struct patterns *patterns, uint32_t *state, const uint8_t *data, size_t size)
{
    uint32_t row = *state;
    unsigned found = 0;
    for (size_t i = 0; i < size; i++) {
        row = patterns->next[row + patterns->column[data[i]]];
        if (row == MATCH) {
            found++;
            row = 0;
        }
    }
    *state = row;
    return found;
}

size_t patterns_count(const struct patterns *patterns)
{
    return patterns->count;
}

size_t patterns_bytes(const struct patterns *patterns)
{
    return sizeof *patterns + (size_t)patterns->rows * patterns->columns * sizeof *patterns->next;
}

void patterns_free(struct patterns *patterns)
{
    if (!patterns)
        return;
    free(patterns->next);
    free(patterns);
}
