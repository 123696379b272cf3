/* SPDX-License-Identifier: MIT */
/* What this machine can do at best, measured in this process: the denominators of every ratio. */
#ifndef UF_BENCH_LIMITS_H
#define UF_BENCH_LIMITS_H

#include "lines.h"

#include <stddef.h>
#include <stdint.h>

enum { LIMITS_MAX = 256 };

/* One random line over a table of so many bytes, on so many threads. */
struct line_limit {
    size_t bytes;
    struct lines_best read;
    struct lines_best update;
};

/* One limit that does not depend on a filter's size. */
struct plain_limit {
    const char *name; /* as in the JSON: "latency", "sequential_read", "xxh3_128" */
    size_t bytes;     /* of the memory walked, or of the key hashed */
    unsigned threads;
    double ns; /* per load, per byte, per key */
};

struct limits {
    struct plain_limit plain[16];
    size_t plain_count;
    struct line_limit lines[LIMITS_MAX];
    size_t lines_count;
    uint64_t huge_asked; /* bytes asked for on huge pages */
    uint64_t huge_got;   /* and on such pages in fact, by /proc */
};

/* Latency over 1 GiB (less on a small machine), sequential reads on one thread and on `threads`, hashes. 0 or -1. */
int limits_measure(struct limits *limits, unsigned threads);

/* Measures the line limits for a table of `bytes` on `threads` threads, or measures them again at this moment and keeps
 * the better; sizes within 3 % share one. Called before and after every filter, so that a limit and what is compared
 * with it saw the same machine. 0, or -1 when there is no memory. */
int limits_lines(struct limits *limits, size_t bytes, unsigned threads);

/* The limit in ns for a table of `bytes`, from all that was measured; NaN when nothing fits. What the machine can do on
 * a larger table it can do on a smaller one, so a larger table's number counts where it is the lower. */
double limits_line_ns(const struct limits *limits, size_t bytes, unsigned threads, enum lines_op op);

/* Puts the line limits in order of size, then of threads. */
void limits_sort(struct limits *limits);

/* A plain limit by name, or NULL: the one on `threads` threads, over any number of bytes. */
const struct plain_limit *limits_plain(const struct limits *limits, const char *name, unsigned threads);

#endif
