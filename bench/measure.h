/* SPDX-License-Identifier: MIT */
/* One filter, one size, one number of threads: build it, ask it, check it. */
#ifndef UF_BENCH_MEASURE_H
#define UF_BENCH_MEASURE_H

#include "keys.h"
#include "limits.h"
#include "results.h"

/* How often to repeat: at least `runs_min`, until `enough_ns` are spent; after `too_long_ns`, what there is will do. */
struct effort {
    unsigned runs_min;
    double enough_ns;
    double too_long_ns;
    uint64_t queries_max; /* keys asked per run, at most */
};

struct measure_job {
    const struct peer *peer;
    const struct keys *hits;   /* all of them are built into the filter */
    const struct keys *misses; /* none of them is */
    unsigned threads;
    double fpr;
    struct effort effort;
};

/* Whether another run is due after `runs` runs that took `spent_ns`. */
int effort_again(const struct effort *effort, unsigned runs, double spent_ns);

/* Adds the rows of every operation to `results`. 0: measured, or the peer cannot do it (which is said). -1: the filter
 * gave a wrong answer or failed to build; the reason went to stderr and no row of it remains. */
int measure_peer(const struct measure_job *job, struct limits *limits, struct results *results);

#endif
