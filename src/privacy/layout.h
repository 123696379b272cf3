/* SPDX-License-Identifier: MIT */
/*
 * How large the parts of a dpset are: shards, groups of columns, slots. All of it follows from the declared capacity n
 * and the design, never from the keys. Mixed radix is in radix.h.
 */
#ifndef UF_LAYOUT_H
#define UF_LAYOUT_H

#include "design.h"

enum { LEF_BAND = 64, LEF_SHARD_KEYS = 1 << 16 };

struct lef_group {
    uint32_t low;     /* the lowest of its bits in the fingerprint */
    uint32_t columns; /* how many bits */
    uint32_t slots;   /* of a shard, a multiple of 64 */
};

struct lef_layout {
    uint32_t shards, groups; /* groups: 0 when `accept` has too many ones */
    struct lef_group group[LEF_MOST_GROUPS];
};

/* Whether a number is below `accept` is decided at the highest bit in which they differ, and that is a bit where
 * accept has a 1. So columns come in groups that end at the ones of `accept`; without dyadic there is one group. */
void lef_layout(const struct lef_design *design, uint64_t n, double slack, struct lef_layout *out);

/* Bits per key of n, seeds left out. Small filters need more than the formula for large n says, as slots come in words
 * and shards have spare room. */
double lef_bits(const struct lef_design *design, uint64_t n, double slack);

/* lef_choose, where most_bits are those that a filter of n really has. n = 0: those of the formula. */
int lef_fit(double epsilon, double slack, int dyadic, double most_bits, uint64_t n, struct lef_design *out);

#endif
