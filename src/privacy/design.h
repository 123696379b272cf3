/* SPDX-License-Identifier: MIT */
/*
 * The best design of each private mechanism for a promise epsilon, and the limit that no design can beat. Pure
 * mathematics: nothing is allocated, nothing is random. Proofs and a table of the figures are in docs/privacy.md.
 *
 * FPR is the chance that a key outside the set is accepted, FNR that a key of the set is missed. "Best" means the
 * smallest FPR + FNR. Rates come from the integer thresholds that a filter would store (rounding.h), so that they are
 * what is built, not what was asked for.
 */
#ifndef UF_DESIGN_H
#define UF_DESIGN_H

#include <stdint.h>

/* ---- the limit ---- */

/* No file with the promise epsilon has a smaller FPR + FNR than 2 / (1 + e^eps), nor a larger F1 on balanced queries
 * than max(2/3, e^eps / (1 + e^eps)): below ln 2, "always yes" is the best F1. fpr and fnr are those of the corner. */
struct dp_limit {
    double fpr, fnr, sum, f1;
};
struct dp_limit dp_limit(double epsilon);

/* F1 when half of the queries are members: 2 (1 - FNR) / (2 - FNR + FPR). */
double rr_f1(double fpr, double fnr);

/* ---- bit arrays: randomized response ---- */

/*
 * A key sets one bit in each of k partitions of `part` bits; then each bit is kept or flipped on its own, 1 -> 1 with
 * chance a, 0 -> 1 with chance b. A query counts ones among its k bits and accepts from t on. After n keys a bit is
 * set with chance z = 1 - (1 - 1/part)^n, so a member's bits are Bern(a) and others' are Bern(c), c = b + (a - b) z.
 * Example: n = 10^6, part = 16 * 10^6, k = t = 1, eps = 3: FPR 0.10227, FNR 0.04743.
 */
enum { RR_MOST_K = 24 };
struct rr_design {
    unsigned k, t;
    double fpr, fnr;
};

/* Exact binomial tails, summed term by term: a tail of 10^-300 has as many good digits as one of 0.1. k at most 1000;
 * n = 0, part = 1, t = 0 and t > k are fine. */
void rr_rates(uint64_t n, uint64_t part, unsigned k, unsigned t, double a, double b, double *fpr, double *fnr);

/* The threshold of the likelihood ratio 1, in 1..k: it minimizes FPR + FNR. */
unsigned rr_threshold(uint64_t n, uint64_t part, unsigned k, double a, double b);

/* The best k, at most RR_MOST_K, and t of symmetric randomized response: part = bits / k, and a bit flips with the
 * threshold of epsilon / k. Returns 0 when no design is possible. */
int rr_best(double epsilon, uint64_t n, uint64_t bits, struct rr_design *out);

/* The mechanism as it was published: ones survive with chance e^eps / (1 + e^eps), zeros stay zeros, and all k bits
 * must be set. It is not differentially private for any epsilon; this is for comparison. */
int published_best(double epsilon, uint64_t n, uint64_t bits, struct rr_design *out);

/* ---- the linear-equation filter ---- */

/* A key is left out with threshold `erase`; otherwise its fingerprint is planted at one of the `accept` accepted
 * values of 2^columns. FPR = accept / 2^columns, FNR = erase (1 - FPR). Dyadic: a planted key constrains only the
 * columns that decide whether its value is below `accept`. */
enum { LEF_MOST_COLUMNS = 24, LEF_MOST_GROUPS = 12 };
#define LEF_SLACK 0.12 /* spare slots, as a share of those needed, when nobody says otherwise */
struct lef_design {
    uint64_t erase, accept;
    uint32_t columns;
    int dyadic;
    double fpr, fnr;
    double bits; /* per key of the capacity, slack included */
};

/* How many columns a planted key constrains on average: all of them in the integer variant; in the dyadic one the sum,
 * over the ones i of accept, of (2^i / accept) (columns - i). */
double lef_depth(uint64_t accept, uint32_t columns, int dyadic);

/* Everything that follows from erase, accept, columns and dyadic. Returns 0 for what no filter can have: accept above
 * half of 2^columns, or more than LEF_MOST_GROUPS ones in it when dyadic. */
int lef_evaluate(struct lef_design *design, double slack);

/*
 * With most_bits: the fewest errors within so many bits per key. Without (0): the fewest bits among designs whose
 * errors are within a factor 1.002 of the best. `slack` is the share of spare slots. Errors that differ by a factor
 * below 1.00005 count as the same, and so do sizes within 1 %: then fewer columns win, for speed. Returns 0 when
 * nothing fits.
 */
int lef_choose(double epsilon, double slack, int dyadic, double most_bits, struct lef_design *out);

/* ---- universes that can be listed: Dime and Nickel ---- */

/* The set is released with decoys from its universe (Dime also leaves members out), and a Bloom filter holds the
 * result: k partitions of bits / k bits. With F the rate of that filter, Dime has q = 1 / (1 + e^eps), FPR = q + (1 -
 * q) F, FNR = q (1 - F); Nickel has q = e^-eps, the same FPR and FNR = 0, and protects presence only. */
enum { DIME_MOST_K = 64 };
struct dime_design {
    unsigned k;
    uint64_t released; /* keys expected in the released set */
    double fpr, fnr;
};

/* n of the `universe` keys are in the set. Returns 0 when universe < n or bits = 0. */
int dime_best(double epsilon, uint64_t n, uint64_t universe, uint64_t bits, struct dime_design *out);
int nickel_best(double epsilon, uint64_t n, uint64_t universe, uint64_t bits, struct dime_design *out);

#endif
