/* SPDX-License-Identifier: MIT */
/*
 * From epsilon to integers and back, always rounded against ourselves: the integers give at least the privacy that was
 * asked for, and the epsilon computed from them is never below the true one. All such arithmetic of the library is
 * here.
 *
 * Adjacency is one key added or removed; epsilon is per key unless it is called per bit. A probability is an integer
 * threshold T of 2^64 (crypto/sample.h).
 */
#ifndef UF_ROUNDING_H
#define UF_ROUNDING_H

#include "eta.h"
#include "ultrafilter.h"

/* What a user may ask for, per key. Below: answers are coin tosses, and LEF_ETA would be a large part of it; above: no
 * protection to speak of. */
#define EPSILON_LEAST UF_EPSILON_LEAST
#define EPSILON_MOST UF_EPSILON_MOST

/* Symmetric randomized response: the flip threshold T >= 2^64 / (1 + e^eps), and ln((2^64 - T) / T), rounded up. */
uint64_t flip_threshold(double epsilon);
double flip_epsilon(uint64_t threshold);

/* Erasure: a key is left out with threshold T >= 2^64 e^-eps; and -ln(T / 2^64), rounded up. */
uint64_t erase_threshold(double epsilon);
double erase_epsilon(uint64_t threshold);

/* The other way: what to ask for, in as few decimals as possible, so that the threshold comes out again. It is a little
 * more than the epsilon of that threshold; `bits` of them share it. What no request makes gives the nearest. */
double flip_asked(uint64_t threshold, unsigned bits);
double erase_asked(uint64_t threshold);

/* T / 2^64 as a double. */
double threshold_rate(uint64_t threshold);

/* What several releases spend together, rounded up; and what is left of a budget, rounded down. */
double sum_up(double spent, double more);
double rest_down(double budget, double spent);

/*
 * The linear-equation filter (docs/privacy.md#dpset): accepted are `accept` of the 2^columns values of a fingerprint.
 * lef_accept: the fewest that keep epsilon, slack eta for failed builds included. lef_epsilon: the larger of the losses
 * in the two directions, rounded up, from the stored integers.
 */
uint64_t lef_accept(double epsilon, unsigned columns);
double lef_epsilon(uint64_t erase, unsigned columns, uint64_t accept);

/* The same for any number of values, at most 2^32, and what is charged for a layout (eta.h). */
uint64_t radix_accept(double epsilon, uint64_t values, double eta);
double radix_epsilon(uint64_t erase, uint64_t values, uint64_t accept, double eta);

#endif
