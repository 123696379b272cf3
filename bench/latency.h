/* SPDX-License-Identifier: MIT */
/* How long one query takes by itself: from a key in the nearest cache to its answer, with nothing to overlap with. */
#ifndef UF_BENCH_LATENCY_H
#define UF_BENCH_LATENCY_H

#include "keys.h"

#include <stdint.h>

struct latency {
    double p50; /* ns */
    double p99;
};

/* The clock that times them. */
struct latency_clock {
    double tick_ns;  /* its resolution */
    double empty_ns; /* what a call that does nothing takes, by that clock; is taken off */
};

typedef uint64_t latency_query(const void *self, const void *keys, uint64_t count);

/* Asks for keys one at a time, spread evenly over all of them. */
struct latency latency_measure(latency_query *query, const void *self, const struct keys *keys);

/* Measured at the first call. */
const struct latency_clock *latency_clock(void);

#endif
