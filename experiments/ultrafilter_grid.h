/* SPDX-License-Identifier: MIT */
/*
 * The measurements behind the tables of the UltraFilter paper: for each way to make a filter, each occupancy and each
 * epsilon, how many of as many members and others were answered wrongly. Every array is filled once, and all epsilons
 * are noisy copies of it, as its owner would make them (uf_release).
 */
#ifndef EXPERIMENTS_ULTRAFILTER_GRID_H
#define EXPERIMENTS_ULTRAFILTER_GRID_H

#include "experiment.h"
#include "formula.h"
#include "ultrafilter_keys.h"

enum variant {
    VARIANT_BLOOM_ONE, /* Bloom filters, with as many hashes as the paper's code has and as it says */
    VARIANT_BLOOM_TEN,
    VARIANT_PAPER, /* the published code */
    VARIANT_TEN,   /* the same mechanism with 10 hashes that differ */
    VARIANT_RR,
    VARIANT_DPSET,
    VARIANTS
};

enum { PHIS = 5, FULL = PHIS - 1, EPSILONS = 13, GRID_BITS_PER_KEY = PAPER_BITS };
extern const double grid_phi[PHIS], grid_epsilon[EPSILONS]; /* epsilon i is i up to 10 */
extern const char *const variant_label[VARIANTS];

struct counts {
    uint64_t members, missed, others, accepted; /* zeros: not measured */
};

struct grid {
    uint64_t keys; /* capacity */
    struct counts at[VARIANTS][PHIS][EPSILONS];
};

int grid_measure(const struct setup *setup, const struct hashed_keys *keys, struct grid *out, uf_error *why);

/* NaN where nothing was measured. Bloom filters have no epsilon: theirs is 0. */
struct rates grid_rates(const struct grid *grid, enum variant variant, unsigned phi, unsigned epsilon);

/* What they should be. */
struct rates grid_expected(const struct grid *grid, enum variant variant, unsigned phi, unsigned epsilon);

/* The spec of a way; keys is the capacity. */
uf_spec grid_spec(enum variant variant, uint64_t keys, double epsilon);

#endif
