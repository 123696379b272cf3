/* SPDX-License-Identifier: MIT */
/*
 * Confidence intervals of a probability, from so many hits in so many trials. Clopper and Pearson: the interval holds
 * the true probability in at least the stated share of experiments, whatever that probability is. It is exact in that
 * sense, and wider than the interval of the normal approximation, most of all near 0 and 1.
 *
 * Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika
 * 1934.
 */
#ifndef LAB_INTERVAL_H
#define LAB_INTERVAL_H

#include <stdint.h>

struct interval {
    double low, high;
};

/* Two-sided, each end with half of 1 - confidence: 0.999 leaves 0.0005 below and above. No trials: [0, 1]. */
struct interval interval_exact(uint64_t hits, uint64_t trials, double confidence);

/* One end only, with all of 1 - confidence on its side. */
double interval_lower(uint64_t hits, uint64_t trials, double confidence);
double interval_upper(uint64_t hits, uint64_t trials, double confidence);

/* The regularized incomplete beta function I_x(a, b), a and b > 0: the chance that a Beta(a, b) variable is below x. */
double beta_share(double x, double a, double b);

#endif
