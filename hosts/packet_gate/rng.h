/* SPDX-License-Identifier: MIT */
/* Repeatable random numbers for the generator (splitmix64): the same seed gives the same capture everywhere. */
#ifndef GATE_RNG_H
#define GATE_RNG_H

#include <stdint.h>

static inline uint64_t rng_mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t rng_next(uint64_t *state)
{
    return rng_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* Below `bound`, which is at most 2^32: the bias is below one in 2^32. */
static inline uint32_t rng_below(uint64_t *state, uint64_t bound)
{
    return (uint32_t)((rng_next(state) >> 32) * bound >> 32);
}

/* 1 with probability `p`. */
static inline int rng_bernoulli(uint64_t *state, double p)
{
    return (double)(rng_next(state) >> 11) * 0x1p-53 < p;
}

#endif
