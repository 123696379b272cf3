/* SPDX-License-Identifier: MIT */
/*
 * How far to the next head, when every coin shows heads with probability q = T / 2^64 and heads are rare. The gap G,
 * the number of tails before it, is geometric: P[G = g] = (1 - q)^g q. Its binary digits are independent, digit j is 1
 * with probability
 *
 *     r / (1 + r),   r = (1 - q)^(2^j),
 *
 * and P[G >= 2^c] = (1 - q)^(2^c). So a gap below 2^c takes c + 1 comparisons of a uniform number with a constant.
 *
 * The constants are irrational for practical purposes, and still nothing is rounded: for each one there are an upper
 * and a lower bound of 64 bits. A uniform number whose first 64 bits lie outside of the bounds is decided; one in
 * between, once in 2^63 times, gets more bits, and the bounds too, until it is. q = 2^-20: 200 ns a gap, against
 * 0.8 ms for a look at every coin.
 */
#ifndef UF_SKIP_H
#define UF_SKIP_H

#include "sample.h"

enum { SKIP_DIGITS = 60, SKIP_PRECISION = 256 };

/* A number of 64 random bits is below a probability when it is below `low`, not below it when it is above `most`. */
struct skip_bound {
    uint64_t low, most;
};

struct skip {
    uint64_t threshold;
    unsigned digits;                          /* c, at most SKIP_DIGITS */
    struct skip_bound bound[SKIP_DIGITS + 1]; /* of digit 0 to c - 1, then of "2^c or more" */
};

/* `precision` is in bits, SKIP_PRECISION: less makes the bounds wider and nothing less exact. UF_ENOMEM. */
int skip_init(struct skip *skip, uint64_t threshold, unsigned digits, unsigned precision);

/* 1 with the gap, 0 when it is 2^c or more, UF_ENOMEM (negative). Worthless when the sampler has failed. */
int skip_next(const struct skip *skip, struct sampler *sampler, uint64_t *gap);

/* Goes on comparing a uniform number with digit `which` where its first 64 bits do not decide: 1 below, 0 not. */
int skip_refine(const struct skip *skip, unsigned which, uint64_t first, struct sampler *sampler);

#endif
