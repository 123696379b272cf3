/* SPDX-License-Identifier: MIT */
/*
 * Rates as they follow from the mechanisms, written here a second time on purpose: what the library says of itself is
 * not used to check it. Arrays are k partitions of bits / k; F1 is that of as many members as others.
 */
#ifndef EXPERIMENTS_FORMULA_H
#define EXPERIMENTS_FORMULA_H

struct rates {
    double fp, fn;
};

double f1_of(struct rates rates);

/* The best F1 that epsilon allows: the corner FP = FN = 1 / (1 + e^epsilon), or "always yes". */
double f1_limit(double epsilon);

/* The share of ones after so many keys. */
double fill_of(double keys, double bits, unsigned k);

/* A bit's P[1 | 1] is a, P[1 | 0] is b; at least t of the k bits of a key must be 1. */
struct rates array_rates(double keys, double bits, unsigned k, unsigned t, double a, double b);

/* e^epsilon / (1 + e^epsilon): the paper's p. */
double keep_of(double epsilon);

/* The paper's equations 5 to 8 are one: (1 - (1 - p / m)^(n l))^l, with p = 1, e^eps / (1 + e^eps), 0, 1 / (1 + e^eps).
 */
double paper_equation(double p, double keys, double bits, double l);

#endif
