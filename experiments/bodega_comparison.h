/* SPDX-License-Identifier: MIT */
/* Filters of real keys, all of the same size, measured under shares of attacks: what bodega_data.c tabulates. */
#ifndef EXPERIMENTS_BODEGA_COMPARISON_H
#define EXPERIMENTS_BODEGA_COMPARISON_H

#include "dataset.h"
#include "experiment.h"

enum design { DOWNTOWN, ROBUST, WHOLE, DESIGNS };

enum { ALPHAS = 9 };
extern const double comparison_alpha[ALPHAS];

/* One filter of the comparison, measured. */
struct candidate {
    double planned; /* (1 - alpha) of ordinary ones and alpha of the worst */
    double ordinary, attacked;
    double worst; /* of its regions */
    double mutants, bytes;
};

struct comparison {
    struct dataset dataset;
    uf_model *model;
    double bytes;     /* of every filter */
    uint64_t mutants; /* asked of each */
    struct candidate candidate[ALPHAS][DESIGNS];
    uf_model_info info;
};

/* Trains the model and measures every candidate; *classical is the rate of the keyed Bloom filter, whose bytes are what
 * the others may have. `comparison` has its data set and the number of mutants. */
int comparison_measure(const struct setup *setup, struct comparison *comparison, double *classical, uf_error *why);

#endif
