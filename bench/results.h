/* SPDX-License-Identifier: MIT */
/* What was measured: a growing list of rows, and the ratios between them. */
#ifndef UF_BENCH_RESULTS_H
#define UF_BENCH_RESULTS_H

#include "latency.h"
#include "limits.h"
#include "peer.h"

#include <stddef.h>
#include <stdint.h>

enum op {
    OP_BUILD,
    OP_HIT,
    OP_MISS,
    OP_MANY_HIT,
    OP_MANY_MISS,
    OP_READ,
    OP_LOAD,
    OP_LOAD_MAP,
    OP_LOAD_BYTES,
    OP_LOAD_PIECES,
    OP_VIEW,
    OP_COPY,
    OP_WRITE_LOAD,
    OP_COUNT
};

struct result {
    const struct peer *peer;
    uint64_t n;
    size_t key_bytes;
    unsigned threads;
    enum op op;
    double ns;             /* best run: per key; of the whole call for the load operations */
    double ratio_limit;    /* ns over the machine's limit for this table and these threads; NaN: none */
    double ratio_libbloom; /* how many times faster than libbloom; NaN: not known */
    double bits_per_key;
    double fpr;           /* measured; NaN for operations that ask for no absent key */
    uint64_t bytes;       /* of the filter */
    unsigned runs;        /* the best of so many */
    struct latency alone; /* of one query by itself; NaN where it was not measured: batches, builds, several threads */
    double memory; /* load operations: the most bytes held at once, by the library and the caller, over those of the
                      filter; 0: not measured */
};

struct results {
    struct result *rows;
    size_t count;
    size_t capacity;
};

/* "build", "hit", "miss", "many-hit", "many-miss", "read", "load", "load-map", "load-bytes", "load-pieces", "view",
 * "copy", "write-load" */
const char *op_name(enum op op);

/* Copies a row to the end. Ends the program when there is no memory. */
void results_add(struct results *results, const struct result *row);
void results_free(struct results *results);

/* The row of this filter and operation, or NULL. */
const struct result *results_find(const struct results *results, const struct peer *peer, uint64_t n, size_t key_bytes,
                                  unsigned threads, enum op op);

/* Fills both ratios in every row from `from` on. Queries are compared with the limit for reading a line, builds with
 * the one for updating it. Batched operations are compared with libbloom's one by one, which is all it has, and builds
 * on several threads with its build on one, for the same reason. */
void results_compare(struct results *results, size_t from, const struct limits *limits);

#endif
