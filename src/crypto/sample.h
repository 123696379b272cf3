/* SPDX-License-Identifier: MIT */
/*
 * Exact random bits. A threshold T means the probability T / 2^64: a lane draws a 64-bit number u and is 1 when u < T.
 * Nothing here is floating point, and how many random words are drawn depends on those words alone, never on data.
 *
 * Why no floating point: Mironov, "On significance of the least significant bits for differential privacy", CCS 2012.
 */
#ifndef UF_SAMPLE_H
#define UF_SAMPLE_H

#include "rng.h"

/* A fair amount of keystream at a time: one word costs about 1.5 ns so. */
struct sampler {
    struct rng *rng; /* borrowed */
    unsigned next;   /* words of `word` that were used */
    int status;      /* the first failure of the rng; results are worthless from then on */
    uint64_t word[2048];
};

void sampler_start(struct sampler *sampler, struct rng *rng);

/* Wipes what is left of the keystream. Returns the status: nothing drawn before may be used unless it is UF_OK. */
int sampler_end(struct sampler *sampler);

uint64_t sample_u64(struct sampler *sampler);

/* 64 independent lanes, each 1 with probability T / 2^64; and `count` words of them, the fast way. */
uint64_t sample_lanes(struct sampler *sampler, uint64_t threshold);
void sample_fill(struct sampler *sampler, uint64_t threshold, uint64_t *out, size_t count);

/* One lane. */
int sample_coin(struct sampler *sampler, uint64_t threshold);

/* Uniform in [0, bound), bound > 0. */
uint64_t sample_below(struct sampler *sampler, uint64_t bound);

#endif
