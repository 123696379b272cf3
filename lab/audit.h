/* SPDX-License-Identifier: MIT */
/*
 * The auditor: how much epsilon a mechanism must have, from what it was seen to do. The bound holds with the stated
 * confidence and says nothing about what was not seen: it can catch a promise that is broken, never prove one.
 *
 *   two worlds  N filters of a set without the key x and N of the set with it. A promise of epsilon bounds the chance
 *               of every event in one world by e^epsilon times its chance in the other. The events are "x is accepted"
 *               and its opposite; both bounds come from the same two ends of confidence intervals, so both hold at
 *               once.
 *   one run     one filter; each of C canaries is in its set by a fair coin, and the filter's answer is the guess.
 *               Under epsilon the number of right guesses is at most that of coins with chance
 *               e^epsilon / (1 + e^epsilon). Keys that collide with others blur the answers and lower the bound.
 *
 * Steinke, Nasr and Jagielski, "Privacy auditing with one (1) training run", NeurIPS 2023.
 */
#ifndef LAB_AUDIT_H
#define LAB_AUDIT_H

#include "interval.h"
#include "subject.h"
#include "trials.h"

struct audit {
    const struct subject *subject;
    struct trials trials; /* of each world; the count means nothing to one run */
    size_t base;          /* keys that are in the set in any case: 1 to base */
    size_t canaries;      /* of one run: base + 1 to base + canaries */
    double confidence;
};

struct audit_worlds {
    uint64_t trials, with, without;          /* filters that accepted x, of those of each world */
    struct interval with_rate, without_rate; /* each end with half of 1 - confidence */
    double accepted, rejected;               /* lower bounds on epsilon, from 0 */
    double epsilon;                          /* the larger one */
};

struct audit_run {
    uint64_t canaries, right;
    struct interval rate; /* of right guesses; its low end has all of 1 - confidence */
    double epsilon;       /* lower bound, from 0 */
    double most;          /* that this design could show, as its own errors blur it; NaN: not known */
};

int audit_two_worlds(const struct audit *audit, struct audit_worlds *out, uf_error *why);
int audit_one_run(const struct audit *audit, struct audit_run *out, uf_error *why);

/* What a filter of the subject promises: epsilon is NaN when it is nothing. */
int audit_claim(const struct subject *subject, double *epsilon, uf_error *why);

/* The statistics alone. */
void audit_compare(struct audit_worlds *worlds, double confidence);
double audit_guesses(uint64_t right, uint64_t canaries, double confidence);

#endif
