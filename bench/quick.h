/* SPDX-License-Identifier: MIT */
/* Best of a few runs, for the small benchmarks that compare two filters of ours. What fails ends the program. */
#ifndef UF_BENCH_QUICK_H
#define UF_BENCH_QUICK_H

#include "keys.h"
#include "ultrafilter.h"

enum { QUICK_RUNS = 3 };

/* Nanoseconds per key of one call, the best of QUICK_RUNS. */
double quick_best(void (*call)(void *arg), void *arg, uint64_t keys);

uf_filter *quick_build(const char *spec, const struct keys *keys, const uf_context *ctx, double *ns);

/* In batches, on one thread. */
double quick_query(const uf_filter *filter, const struct keys *keys);

__attribute__((noreturn)) void quick_stop(const char *text);

#endif
