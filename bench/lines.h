/* SPDX-License-Identifier: MIT */
/* The floor under every filter: how fast this machine touches one random cache line per key. */
#ifndef UF_BENCH_LINES_H
#define UF_BENCH_LINES_H

#include <stddef.h>
#include <stdint.h>

enum lines_op { LINES_READ, LINES_UPDATE };

struct lines_best {
    double ns;        /* per line, over all threads together */
    int variant;      /* which of the ways won */
    int level;        /* cache the winner prefetched to: 1 or 2; 0: it did not prefetch */
    unsigned ahead;   /* lines between a prefetch and its use */
    unsigned threads; /* that shared the work */
};

/* The best of every way to do it, over `bytes` of `table`, which is on huge pages and was touched before. */
struct lines_best lines_measure(uint64_t *table, size_t bytes, unsigned threads, enum lines_op op);

/* A few more runs of the way that won, at another moment; lowers best->ns when they are faster. */
void lines_refine(uint64_t *table, size_t bytes, enum lines_op op, struct lines_best *best);

#endif
