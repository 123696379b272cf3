/* SPDX-License-Identifier: MIT */
/* The parts of the Bodega experiment. Each adds tables to the report. */
#ifndef EXPERIMENTS_BODEGA_H
#define EXPERIMENTS_BODEGA_H

#include "experiment.h"

/* Table 1 and figure 6 as they are printed, and corrected. Nothing is measured. */
int bodega_paper(struct report *report, uf_error *why);

/* Theorems 3 and 4 against real filters behind an oracle with known errors. */
int bodega_trials(const struct setup *setup, struct report *report, uf_error *why);

/* Filters of one size under attack: words, or setup->data. */
int bodega_data(const struct setup *setup, struct report *report, uf_error *why);

/* ---- the trials, for tests ---- */

/* A Downtown filter of two keyed Bloom filters behind an oracle that errs as often as it is told to. */
struct oracle_world {
    uint64_t keys, queries;
    double model_fpr, model_fnr;
    uint64_t bits_a, bits_b;
    int definition;          /* enum downtown_definition */
    double alpha_p, alpha_n; /* shares of the queries that the adversary sends to A and to B */
};

/* Means over the filters, and the standard deviation of the mean of measured - theorem. */
struct oracle_result {
    double measured, spread;
    double theorem; /* 4, with the rates of filters that have just these keys */
    double control; /* the same with the keys of the other definition */
};

int oracle_measure(const struct setup *setup, const struct oracle_world *world, uint64_t filters, uint64_t stream,
                   struct oracle_result *out, uf_error *why);

#endif
