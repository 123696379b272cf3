/* SPDX-License-Identifier: MIT */
/* The list of rows is an array that doubles; a few hundred rows at most, so finding one is a walk. */
#include "results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *op_name(enum op op)
{
    static const char *const names[OP_COUNT] = {"build", "hit",  "miss",      "many-hit",   "many-miss",
                                                "read",  "load", "load-map",  "load-bytes", "load-pieces",
                                                "view",  "copy", "write-load"};
    return names[op];
}

void results_add(struct results *results, const struct result *row)
{
    if (results->count == results->capacity) {
        results->capacity = results->capacity ? 2 * results->capacity : 64;
        results->rows = realloc(results->rows, results->capacity * sizeof *results->rows);
        if (!results->rows) {
            fprintf(stderr, "uf_bench: no memory for the results\n");
            exit(2);
        }
    }
    results->rows[results->count++] = *row;
}

void results_free(struct results *results)
{
    free(results->rows);
    *results = (struct results){0};
}

const struct result *results_find(const struct results *results, const struct peer *peer, uint64_t n, size_t key_bytes,
                                  unsigned threads, enum op op)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct result *row = &results->rows[i];
        if (row->peer == peer && row->n == n && row->key_bytes == key_bytes && row->threads == threads &&
            row->op == op) {
            return row;
        }
    }
    return NULL;
}

static enum op one_by_one(enum op op)
{
    return op == OP_MANY_HIT ? OP_HIT : op == OP_MANY_MISS ? OP_MISS : op;
}

void results_compare(struct results *results, size_t from, const struct limits *limits)
{
    for (size_t i = from; i < results->count; i++) {
        struct result *row = &results->rows[i];
        unsigned threads = row->op == OP_BUILD ? 1 : row->threads;
        const struct result *other =
            results_find(results, &peer_libbloom, row->n, row->key_bytes, threads, one_by_one(row->op));
        enum lines_op touch = row->op == OP_BUILD ? LINES_UPDATE : LINES_READ;
        row->ratio_limit = row->ns / limits_line_ns(limits, (size_t)row->bytes, row->threads, touch);
        row->ratio_libbloom = other ? other->ns / row->ns : NAN;
    }
}
