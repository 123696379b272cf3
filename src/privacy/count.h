/* SPDX-License-Identifier: MIT */
/*
 * A number of keys that may be made public: the true one, plus noise of the discrete Laplace distribution,
 * P[x] ~ a^|x| with a = threshold / 2^64, plus a margin, so that the result is below the true number with chance
 * COUNT_SHORT at most. One key more or less moves the distribution by one, hence epsilon = -ln a (erase_epsilon).
 *
 * Ghosh, Roughgarden and Sundararajan, "Universally utility-maximizing privacy mechanisms", STOC 2009: the two-sided
 * geometric distribution.
 */
#ifndef UF_COUNT_H
#define UF_COUNT_H

#include <stdint.h>

#define COUNT_SHORT 0x1p-40
#define COUNT_EPSILON_LEAST 0.0005

/* threshold: erase_threshold(epsilon). */
uint64_t count_margin(uint64_t threshold);

#endif
