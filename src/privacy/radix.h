/* SPDX-License-Identifier: MIT */
/*
 * dpset in mixed radix: the mathematics of its design. The limit needs an acceptance chance f of 1 / (1 + e^eps), which
 * binary columns approach with many of them only. Here a slot of the table holds one digit of GF(2), GF(3) or GF(7) for
 * each prime factor of a radix R = 2^a 3^b 7^c, together a number below R, and a key is accepted when its number is 0:
 * f = 1 / R. epsilon = 3: R = 21 of 1 + e^3 = 21.09, FPR 0.04762, FNR 0.04742, 1.002 times the limit.
 *
 * Where no such R is near there are two groups, of radix R and m: the number has the digits (x, y), and is accepted
 * when x m + y is below `accept`, m < accept < 2 m; that is when x = 0, or x = 1 and y < accept - m. Only keys that are
 * planted there constrain the second group. epsilon = 2: R = 9, m = 12, accept = 13 of 108 = 1/9 + 1/108.
 *
 *     FPR = f = accept / (R m),   FNR = u (1 - f),   epsilon = max(-ln u, ln(u + (1 - u) / f) - ln(1 - eta))
 *
 * Sizes are integers throughout, so that they are the same on every machine.
 */
#ifndef UF_RADIX_H
#define UF_RADIX_H

#include "digits.h"
#include "eta.h"

enum { RADIX_MOST_SECOND = 64, RADIX_GROUPS = 2, RADIX_SHARD_KEYS = 1 << 17 };

struct radix_design {
    uint64_t erase;
    uint32_t accept, groups, radix[RADIX_GROUPS];
    uint32_t band; /* 64 or 128 slots, of which a row has 8 */
    double slack;  /* the share of spare slots */
};

/* 1 when a filter can have it: its radices are products of the primes, accept fits them, and its layout is in the table
 * of eta.h. */
int radix_legal(const struct radix_design *design);

/* How many numbers there are: accepted are `accept` of them. */
uint64_t radix_values(const struct radix_design *design);

/* FPR = f, FNR = u (1 - f), and epsilon as it is charged (rounding.h). */
void radix_rates(const struct radix_design *design, double *fpr, double *fnr);
double radix_charge(const struct radix_design *design);

/* What is charged for the fields of its groups (eta.h). */
static inline double radix_design_eta(const struct radix_design *design)
{
    unsigned fields = 0;
    for (uint32_t i = 0; i < design->groups; i++)
        for (unsigned field = 0; field < DIGITS_FIELDS; field++)
            fields += design->radix[i] % digits_prime[field] == 0;
    return radix_eta(design->band, design->slack, fields);
}

/*
 * How numbers are packed (core/digits.h): K of them in B bits. One load of 64 bits gets a pack from any bit at which
 * one can begin. The densest K is taken; with a band of 64 one of at most 32 bits, which is faster to read, where that
 * takes 1.5 % more at most.
 */
struct radix_packing {
    uint32_t numbers, bits; /* K, B */
};
struct radix_packing radix_pack(uint32_t radix, uint32_t band);

/*
 * A shard takes `most` planted keys in a group; when more are drawn, all is drawn again. With mu planted on average and
 * the variance v, most = mu + sqrt(20 v) + 8: a shard has more with a chance of about 4e-6; with more than 4096 shards
 * it is sqrt(36 v) and 1e-9. Slots are those, the slack and the band, and whole packs.
 */
struct radix_layout {
    uint32_t shards, shard_words;
    struct radix_group {
        uint32_t most, slots, offset; /* offset: of its first word in the shard */
        struct radix_packing packing;
    } group[RADIX_GROUPS];
};
void radix_layout(const struct radix_design *design, uint64_t n, struct radix_layout *out);

/* Bits per key of n, seeds left out. */
double radix_bits(const struct radix_design *design, uint64_t n);

#endif
