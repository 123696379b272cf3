/* SPDX-License-Identifier: MIT */
/* The one clock of the benchmark: monotonic nanoseconds, as a double (exact up to 104 days of uptime). */
#ifndef UF_BENCH_CLOCK_H
#define UF_BENCH_CLOCK_H

#include <time.h>

static inline double clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#endif
