/* SPDX-License-Identifier: MIT */
/*
 * The auditor: how much epsilon a mechanism must have, from what it was seen to do. The bound holds with the stated
 * confidence and says nothing about what was not seen: it can catch a promise that is broken, never prove one.
 *
 *   two worlds  N runs on a set without the key x and N on the set with it. A promise of epsilon and delta bounds the
 *               chance of every event in one world by e^epsilon times its chance in the other, and delta. The events
 *               are about all that can be seen of a run (run_features.h): that there is a file, its size and bytes,
 * what was printed, the answer to x. They are chosen on some of the runs (events.h) and counted on the others, each
 * with its share of 1 - confidence: all bounds hold at once. one run     one filter; each of C canaries is in its set
 * by a fair coin, and the filter's answer is the guess. Under epsilon the number of right guesses is at most that of
 * coins with chance e^epsilon / (1 + e^epsilon). Keys that collide with others blur the answers and lower the bound.
 *
 * A bound below the claim means something only when a broken promise would have been noticed: `noticed` is the epsilon
 * from which on a mechanism that shows its loss in the answer (randomized response) is caught 9 times in 10.
 *
 * Steinke, Nasr and Jagielski, "Privacy auditing with one (1) training run", NeurIPS 2023.
 */
#ifndef LAB_AUDIT_H
#define LAB_AUDIT_H

#include "events.h"
#include "interval.h"
#include "subject.h"
#include "trials.h"

struct audit_claim {
    double epsilon; /* NaN: it claims none */
    double delta;
};

struct audit {
    const struct subject *subject;
    struct trials trials; /* of each world; the count means nothing to one run */
    const uf_key *keys;   /* base of them are in the set in any case; then x, or the canaries of one run */
    size_t base, canaries;
    double confidence;
    struct audit_claim claim; /* to be held against; epsilon NaN: what the files say themselves */
};

struct audit_event {
    struct event event;
    uint64_t hits[2]; /* without and with x */
    struct interval rate[2];
    double epsilon; /* lower bound, from 0 */
};

struct audit_worlds {
    uint64_t chosen_on, trials; /* runs of each world: for choosing, and for the counts */
    unsigned events, best;
    struct audit_event event[EVENTS_MOST];
    double epsilon; /* that of the best */
    double most;    /* that an event which is certain in one world and never happens in the other would show */
    double noticed; /* INFINITY: not even a mechanism without noise would be */
    struct audit_claim claim; /* that it was held against */
};

struct audit_run {
    uint64_t canaries, right;
    struct interval rate; /* of right guesses; its low end has all of 1 - confidence */
    double epsilon;       /* lower bound, from 0 */
    double most;          /* that this design could show, as its own errors blur it; NaN: not known */
    double noticed;
};

int audit_two_worlds(const struct audit *audit, struct audit_worlds *out, uf_error *why);
int audit_one_run(const struct audit *audit, struct audit_run *out, uf_error *why);

/* What a filter of the subject promises; not for commands, whose files say it. */
int audit_claim_of(const struct subject *subject, struct audit_claim *out, uf_error *why);

enum audit_verdict { AUDIT_CONSISTENT, AUDIT_VIOLATED, AUDIT_NO_POWER };

/* No power: twice the epsilon that is claimed would not have been noticed either. */
enum audit_verdict audit_verdict(double epsilon, double claim, double noticed);

/* The statistics alone. `each` is the confidence of one event. */
void audit_compare(struct audit_event *event, uint64_t trials, double each, double delta);
double audit_guesses(uint64_t right, uint64_t canaries, double confidence);
double audit_noticed(uint64_t trials, double each, struct audit_claim claim);
double audit_noticed_once(uint64_t canaries, double confidence, double claim);

#endif
