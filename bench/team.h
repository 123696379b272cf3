/* SPDX-License-Identifier: MIT */
/* Threads that start together, each on its own CPU, and the time until the last one is done. */
#ifndef UF_BENCH_TEAM_H
#define UF_BENCH_TEAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TEAM_MAX = 256 };

/* CPUs this process may use, at most TEAM_MAX. */
unsigned team_cpus(void);

/* Ties the calling thread to one CPU (threads == 1), or lets it run on all again. Threads that a library starts
 * inherit this, so it is set for the number of threads that are about to be measured. */
void team_settle(unsigned threads);

/* Calls work(arg, i) for i = 0..threads-1 at the same time; returns the nanoseconds from the common start to the end
 * of the last. One thread means the calling one. Ends the program when the system has no threads to give. */
double team_run(unsigned threads, void (*work)(void *arg, unsigned index), void *arg);

/* The share of the CPU that the measured threads got while they ran, so far: 1 on a quiet machine. Below 0.97 or so
 * something else was running, and the numbers of this process are not worth much. */
double team_cpu_share(void);

/* The part [*from, *to) of 0..count that is thread `index`'s of `threads`. */
static inline void team_slice(uint64_t count, unsigned threads, unsigned index, uint64_t *from, uint64_t *to)
{
    *from = count / threads * index + (index < count % threads ? index : count % threads);
    *to = *from + count / threads + (index < count % threads);
}

#ifdef __cplusplus
}
#endif

#endif
