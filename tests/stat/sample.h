/* SPDX-License-Identifier: MIT */
/*
 * Measured false-positive rates with their error bars. A cell of a test is several filters, each with a seed of its own
 * and asked for keys that are not in it; the rate is the mean over filters, and its standard deviation is that of the
 * filters' rates over sqrt(filters), so that it has the variance between filters in it, but never less than what so
 * many queries at the planned rate would have.
 */
#ifndef UF_TEST_SAMPLE_H
#define UF_TEST_SAMPLE_H

#include <stdint.h>

struct request {
    const char *spec; /* without a seed */
    uint64_t members; /* keys put into each filter */
    uint64_t removes; /* so many of them, the first ones, are removed again */
    uint64_t filters, queries;
    uint64_t seed; /* of the first filter; the next has the next */
};

/* A share, as the mean over the filters, and the standard deviation of that mean, from the filters. */
struct share {
    double measured, spread;
};

struct sample {
    double planned;          /* the rate that the plan of `spec` states */
    double measured, spread; /* of strangers accepted */
    struct share missed;     /* of members that were not removed */
    struct share refused;    /* of removals */
};

/* Ends the program when a filter cannot be built. */
struct sample sample_take(const struct request *request);

/* How many standard deviations the sample is from a rate. Beyond 3 the rate is rejected. */
double sample_distance(const struct sample *sample, const struct request *request, double rate);

/* The same for a share of so many trials in all. */
double share_distance(const struct share *share, double trials, double rate);

enum { SIGMAS = 3 };

#endif
