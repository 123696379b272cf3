/* SPDX-License-Identifier: MIT */
/*
 * How to cut the scores, and which false-positive rate each part's filter gets, for the smallest total at rate F.
 * With g the share of the keys in a region, h that of the negatives, n keys, and filters of c log2(1/f) bits per key:
 *
 *   partition   f = min(1, L g/h) in every region, with L such that sum h f = F. Where f is 1 there is no filter. For a
 *               given L a region costs c n g (log2(h / (L g)) + 1/ln 2), or c n h / (L ln 2) where f is 1, and these
 *               costs add up: dynamic programming finds the best regions, bisection the L. (Vaidya et al. 2021 fix the
 *               last region instead and try all of them; this finds the same optima, with any number of regions of
 *               f 1.)
 *   learned     two regions, f = 1 above the threshold: "yes" without a filter.
 *   sandwich    the same behind a first filter of all keys with rate a: a (h + (1-h) b) = F, and the best b for a
 *               threshold that leaves out the share w of the keys is h w / ((1-h) (1-w)). With a model that knows
 * nothing that is 1, and one filter is best; `in_front` has both filters all the same, with b of 1/2 at most
 *               and a quarter of the keys on either side of the threshold, at least.
 *
 * With `alpha` above 0 a partition holds F while that share of the queries is chosen by someone who knows the model,
 * and so asks where the rate is highest: (1 - alpha) sum h f + alpha max f <= F. Then f = min(C, L g/h), a region at
 * the cap C costs c n (g log2(1/C) + C h / (L ln 2)), and the best C is searched for: for given regions the bits are
 * convex in it. With alpha 0 the cap is 1, with alpha 1 all rates are F.
 *
 * Shares of negatives are estimates from V of them. What is planned is the estimate plus `margin` standard errors, so
 * that the rate holds for fresh negatives, too: sum h f + margin sqrt(sum h f^2 / V) takes the place of sum h f,
 * h = (seen + 1) / (V + 1).
 */
#ifndef UF_REGIONS_H
#define UF_REGIONS_H

#include "curve.h"

enum { REGIONS_MOST = 16 };

enum regions_how { REGIONS_LEARNED, REGIONS_SANDWICH, REGIONS_PARTITION };

struct regions_request {
    enum regions_how how;
    double fpr;
    unsigned most;     /* regions of a partition, 2 to REGIONS_MOST */
    double factor;     /* c */
    double child_bits; /* what a filter costs on top */
    double margin;
    double alpha; /* partition: share of the queries that an adversary chooses, 0 to 1 */
    int whole; /* partition: every region's filter holds all keys, as the Bodega paper has it; the regions are those of
                  alpha alone */
    int in_front;   /* sandwich: a first filter and a backup even where they are of no use */
    uint64_t least; /* keys that every region has, unless there is only one; 0: a region may be empty */
};

struct region {
    int64_t from;  /* its lowest score; INT64_MIN for the first */
    uint64_t keys; /* in its filter */
    uint64_t negatives;
    double fpr; /* 1: no filter, all are accepted; 0: there are no keys, none is */
};

struct regions {
    double first; /* rate of the filter in front; 1: none */
    unsigned count;
    struct region region[REGIONS_MOST];
    double bits; /* of all filters, by the formula */
    double fpr;  /* expected, without the margin */
};

/* What is planned for, from the regions alone: the rate with its margin, and the share alpha of the queries where it is
 * highest. */
double regions_rate(const struct regions *regions, const struct regions_request *request);

/* The chance that a key scores above a negative, as far as the regions tell: half within one. */
double regions_auc(const struct regions *regions);

/* UF_ENOMEM is all that can fail: one region with a plain filter is always possible. */
int regions_choose(const struct curve *curve, const struct regions_request *request, struct regions *out);

#endif
