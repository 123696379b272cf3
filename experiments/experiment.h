/* SPDX-License-Identifier: MIT */
/*
 * The experiments of the papers, one file or two each. An experiment fills a report (table.h); its numbers are compared
 * with those of a *_expected.h or with a formula, and its figures are drawn from its tables.
 */
#ifndef EXPERIMENTS_EXPERIMENT_H
#define EXPERIMENTS_EXPERIMENT_H

#include "table.h"
#include "trials.h"
#include "ultrafilter.h"

enum { PAPER_KEYS = 1 << 20 }; /* of the UltraFilter paper; smaller sizes are for tests and have wider tolerances */

struct setup {
    uint64_t keys;
    const char *data;     /* a folder of keys for the Bodega experiment; NULL: word lists */
    struct trials trials; /* threads, seed and progress; each experiment has its own count */
};

struct figure {
    const char *name;   /* NAME.svg and NAME.png */
    const char *script; /* for gnuplot, run among the .tsv files; `size` and `out` are set by then */
};

struct experiment {
    const char *name, *about;
    int sized; /* setup->keys matters to it */
    int (*run)(const struct setup *setup, struct report *out, uf_error *why);
    const struct figure *figures; /* closed by a NULL name */
};

extern const struct experiment experiment_ultrafilter, experiment_nickel_dime, experiment_bodega;

/* All of them, closed by NULL. */
extern const struct experiment *const experiments[];

/* Returns the status, after putting its words into `why`. */
int experiment_fail(uf_error *why, int status);

/* Four and a half standard deviations of a rate that was measured with so many trials, and a little: one correct number
 * in 150,000 is further off. */
double rate_tolerance(double rate, double trials);

#endif
