/* SPDX-License-Identifier: MIT */
/*
 * Evidence that things happen more often than they may, gathered query by query for as long as one likes.
 *
 * Of each of some events it is said that a query brings it about with probability p at most. After N queries and X such
 * events, and for odds r times as high,
 *
 *     E = r^X / (1 + (r - 1) p)^N
 *
 * is how many times likelier that is with q = r p / (1 + (r - 1) p) than with p. While the true probability is at most
 * p, a query multiplies E by 1 or less on average: E is a supermartingale that starts at 1, and so is the mean over
 * events and over several r. By Ville's inequality it ever comes to 1/a with probability a at most, over any number of
 * queries, whenever one looks.
 *
 * What has been quiet for long would hide what begins late. So there are several windows, which start anew after 1,000,
 * 10,000, ... queries, and one that never does; the k-th of a length counts 1 / (k (k + 1)), which add up to 1. The sum
 * is a supermartingale again.
 *
 * Ville, "Étude critique de la notion de collectif", 1939; Ramdas, Grünwald, Vovk and Shafer, "Game-theoretic
 * statistics and safe anytime-valid inference", Statistical Science 2023.
 */
#ifndef UF_EVIDENCE_H
#define UF_EVIDENCE_H

#include "regions.h"

enum { EVIDENCE_EVENTS = REGIONS_MOST + 1, EVIDENCE_ODDS = 8, EVIDENCE_WINDOWS = 5 };

struct evidence_window {
    uint64_t number;   /* of its length, from 1 */
    double log_weight; /* of each of its events and odds */
    uint64_t queries, seen[EVIDENCE_EVENTS];
};

struct evidence {
    unsigned events;
    double cost[EVIDENCE_EVENTS][EVIDENCE_ODDS]; /* ln(1 + (r - 1) p) */
    struct evidence_window window[EVIDENCE_WINDOWS];
};

/* Events that are certain, or impossible, or said to be so, tell nothing: their evidence stays 0. */
void evidence_start(struct evidence *evidence, const double *most, unsigned events);

/* Between two calls of evidence_add, when all that belongs to the first was seen: windows that are full start anew. */
void evidence_roll(struct evidence *evidence);

/* So many queries, and how often they brought about each event, of those that were handed to evidence_start. */
void evidence_add(struct evidence *evidence, uint64_t queries, const uint64_t *seen);

/* ln E; and whether it is that much at least, which is seen faster. */
double evidence_log(const struct evidence *evidence);
int evidence_reaches(const struct evidence *evidence, double log_limit);

/* The largest p with which `seen` or fewer of `all` come about with probability `chance` at least, or a little more:
 * Chernoff's bound, all KL(seen / all || p) = ln(1 / chance). 1 when there are none. */
double evidence_most_share(uint64_t seen, uint64_t all, double chance);

#endif
