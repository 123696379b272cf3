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

/* Words of lanes that are made together, and how: lanes.c. */
enum { LANES_DEPTH = 4, LANES_STEP = 256, LANES_COLUMNS = 16, LANES_CARRIERS = 2 * LANES_COLUMNS };

struct sampler {
    struct rng *rng;    /* borrowed */
    unsigned next;      /* words of `word` that were used */
    int status;         /* the first failure of the rng; results are worthless from then on */
    uint64_t word[512]; /* a fair amount of keystream at a time */
    /* Of sample_fill. */
    uint64_t plane[LANES_DEPTH * (LANES_STEP + LANES_CARRIERS)], open[LANES_STEP];
    uint64_t carrier[LANES_CARRIERS], carried[LANES_CARRIERS], left[LANES_CARRIERS], last[LANES_STEP];
};

void sampler_start(struct sampler *sampler, struct rng *rng);

/* Wipes what is left of the keystream. Returns the status: nothing drawn before may be used unless it is UF_OK. */
int sampler_end(struct sampler *sampler);

/* Keystream past what is in `word`. */
void sampler_draw(struct sampler *sampler, uint64_t *out, size_t words);

uint64_t sample_u64(struct sampler *sampler);

/* `count` words of 64 independent lanes, each 1 with probability T / 2^64. The words of one call do not follow from
 * those of two calls for a part each. */
void sample_fill(struct sampler *sampler, uint64_t threshold, uint64_t *out, size_t count);

/* One lane. */
int sample_coin(struct sampler *sampler, uint64_t threshold);

/* Uniform in [0, bound), bound > 0. */
uint64_t sample_below(struct sampler *sampler, uint64_t bound);

#endif
