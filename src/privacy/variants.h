/* SPDX-License-Identifier: MIT */
/*
 * Which dpset to take for a promise epsilon and a capacity n: all variants, with their size at this n, their errors and
 * about what they cost in time, and the one that a preference picks.
 *
 *     (none)     the errors are within 1.02 of the limit; the size counts most, time a little
 *     small      within 1.02, the smallest; twice the time to build
 *     fast       within 1.02, the least time
 *     accurate   within 1.005, then as without
 *
 * Nothing here is secret, and nothing depends on the keys.
 */
#ifndef UF_VARIANTS_H
#define UF_VARIANTS_H

#include <stddef.h>

#include "design.h"
#include "radix.h"

enum dpset_variant { DPSET_INTEGER, DPSET_DYADIC, DPSET_RADIX, DPSET_VARIANTS };
enum dpset_prefer { PREFER_NONE, PREFER_SMALL, PREFER_FAST, PREFER_ACCURATE, PREFERENCES };

/* Names in specs: dyadic, small, ... The name of PREFER_NONE is "default". */
extern const char *const variant_names[DPSET_VARIANTS], *const prefer_names[PREFERENCES];

struct variant_wish {
    double epsilon;
    uint64_t n;
    double most_bits; /* per key; 0: not said. Otherwise the fewest errors within so many, and no preference */
    double slack;     /* share of spare slots; 0: not said */
    uint32_t band;    /* of mixed radix; 0: not said */
    enum dpset_prefer prefer;
};

struct variant_choice {
    enum dpset_variant variant;
    struct lef_design lef;     /* integer and dyadic */
    struct radix_design radix; /* mixed radix */
    double slack;
    double fpr, fnr;
    double bits; /* per key of n, as a filter of n has, seeds left out */
    /* For one key, measured on one core of a Neoverse-N1 with 10^6 keys: to compare, not to promise. */
    double build_ns, query_ns;
};

/* The best of one variant. 0: there is none. */
int variant_best(const struct variant_wish *wish, enum dpset_variant variant, struct variant_choice *out);

/* The best of all. 0: there is none. */
int variant_choose(const struct variant_wish *wish, struct variant_choice *out);

/* 1 when both make the same filter. */
int variant_same(const struct variant_choice *a, const struct variant_choice *b);

/* What a set needs at the limit, in bits per key: (1 - e^-eps) log2(1 + e^eps), of equations with a slot per planted
 * key. And what no representation with these errors can go below: eps tanh(eps / 2) log2 e. */
double ideal_bits(double epsilon);
double least_bits(double epsilon);

#endif
