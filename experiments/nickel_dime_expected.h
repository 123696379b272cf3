/* SPDX-License-Identifier: MIT */
/*
 * "A Privacy Model for Classical and Learned Bloom Filters" (H. Tirmazi, 2025): its example of section 4.2, and what
 * follows from it.
 */
#ifndef EXPERIMENTS_NICKEL_DIME_EXPECTED_H
#define EXPERIMENTS_NICKEL_DIME_EXPECTED_H

/* 50 citizens, 10 of them listed. With epsilon -3 the paper counts "about 2" decoys. A listed name is then a true one
 * with 83 %; for an even chance q must be 0.25. */
enum { CITIZENS = 50, LISTED = 10 };
static const struct {
    double q; /* e^-3 and 0.25 */
    double decoys, posterior;
} example_expected[] = {{0.049787068367863944, 1.991483, 0.833926}, {0.25, 10, 0.5}};

/* Where it was computed apart from this program: 20,000 keys, 2,000 members, 2^15 bits. */
static const struct {
    const char *mechanism;
    double epsilon;
    unsigned k;
    double fpr, fnr;
} rates_expected[] = {{"dime", 2, 5, 0.1353, 0.1170}, {"nickel", 3, 7, 0.0540, 0}};

#endif
