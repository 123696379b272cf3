/* SPDX-License-Identifier: MIT */
/*
 * How a set was released before a filter was built from it. The mark travels with the filter and in its file, and what
 * is claimed is computed from its integers, never from what was asked for.
 *
 *   dime     every key of the universe changes sides with probability q: epsilon-DP, epsilon = ln((1 - q) / q)
 *   nickel   members stay, every other key of the universe joins with probability q: the odds that a listed key is a
 *            member rise by at most 1/q, the bound ln(1/q). A key that is not listed is certainly no member: not DP
 *
 * dime: Warner, "Randomized response: a survey technique for eliminating evasive answer bias", Journal of the American
 * Statistical Association 1965.
 * nickel: Mangat, "An improved randomized response strategy", Journal of the Royal Statistical Society B 1994.
 */
#ifndef UF_MARK_H
#define UF_MARK_H

#include <stdint.h>

/* Numbers of the file format: never renumber. */
enum mechanism { RELEASE_NONE = 0, RELEASE_DIME = 1, RELEASE_NICKEL = 2 };

struct release_mark {
    uint32_t mechanism; /* enum mechanism */
    uint64_t threshold; /* q = threshold / 2^64 */
    uint64_t universe;  /* keys in it */
};

/* What no release protects, in the words of a claim: epsilon is of one file. */
#define UNPROTECTED_RELEASES                                                                                  \
    "further releases, even of an unchanged set (their epsilons add up: use a ledger), a label that is used " \
    "again for a changed set"

/* The largest universe: skips and chunks of ranks stay within 64 bits. */
#define UNIVERSE_MOST (UINT64_C(1) << 60)

const char *mark_name(const struct release_mark *mark); /* "dime", "nickel", NULL for none */
int mark_known(uint64_t mechanism);

/* Whether some release makes such a mark. */
int mark_legal(const struct release_mark *mark);

double mark_rate(const struct release_mark *mark); /* q */

/* dime: epsilon; nickel: ln(1/q). In nats, rounded up. */
double mark_bound(const struct release_mark *mark);

#endif
