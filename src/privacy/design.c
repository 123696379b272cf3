/* SPDX-License-Identifier: MIT */
#include "design.h"

#include <math.h>

#include "rates.h"
#include "rounding.h"

#define NEAR 1.002 /* without a request for the size, errors within this factor of the best are as good as the best */
#define EQUAL 1.00005 /* errors within this factor are the same: then the smaller filter wins */
#define SMALLER 0.99  /* and of two such filters of the same size, the one with fewer columns: it is faster */

/* ---- the limit ---- */

double rr_f1(double fpr, double fnr)
{
    return 2 * (1 - fnr) / (2 - fnr + fpr);
}

struct dp_limit dp_limit(double epsilon)
{
    double corner = 1 / (1 + exp(epsilon));
    return (struct dp_limit){corner, corner, 2 * corner, fmax(2.0 / 3, 1 / (1 + exp(-epsilon)))};
}

/* ---- bit arrays ---- */

/* Adds C(k, j) p^j q^(k-j) for j in [from, to]; q = 1 - p is given, because 1 - p forgets the digits of a small q. */
static double binomial_sum(unsigned k, unsigned from, unsigned to, double p, double q)
{
    double choose = 1, sum = 0;
    for (unsigned j = 0; j <= to && j <= k; j++) {
        if (j >= from)
            sum += choose * pow(p, j) * pow(q, k - j);
        choose *= (double)(k - j) / (j + 1);
    }
    return fmin(sum, 1);
}

/* 1 - (1 - 1/part)^n */
static double fill(uint64_t n, uint64_t part)
{
    if (!n)
        return 0;
    return part <= 1 ? 1 : -expm1((double)n * log1p(-1 / (double)part));
}

void rr_rates(uint64_t n, uint64_t part, unsigned k, unsigned t, double a, double b, double *fpr, double *fnr)
{
    double rise = (a - b) * fill(n, part);
    *fpr = t == 0 ? 1 : binomial_sum(k, t, k, b + rise, 1 - b - rise);
    *fnr = t > k ? 1 : t == 0 ? 0 : binomial_sum(k, 0, t - 1, a, 1 - a);
}

/* A count T speaks for a member when T ln(a/c) + (k - T) ln((1-a)/(1-c)) >= 0. */
unsigned rr_threshold(uint64_t n, uint64_t part, unsigned k, double a, double b)
{
    double c = b + (a - b) * fill(n, part);
    double absent = log((1 - c) / (1 - a)), present = log(a / c);
    double t = k * absent / (absent + present);
    if (a <= c)
        t = k * a; /* the bits tell nothing; this is the limit of c -> a */
    else if (c <= 0)
        t = 1; /* a one proves a member */
    else if (a >= 1)
        t = k;          /* a zero proves the contrary */
    t = ceil(t - 1e-9); /* of two equal thresholds the lower one, whatever the last digit says */
    return t < 1 ? 1 : t > k ? k : (unsigned)t;
}

static void keep_better(struct rr_design *best, int *found, struct rr_design trial)
{
    if (*found && trial.fpr + trial.fnr >= best->fpr + best->fnr - 1e-12)
        return;
    *best = trial;
    *found = 1;
}

int rr_best(double epsilon, uint64_t n, uint64_t bits, struct rr_design *out)
{
    int found = 0;
    for (unsigned k = 1; k <= RR_MOST_K && bits / k; k++) {
        uint64_t flip = flip_threshold(epsilon / k);
        double b = threshold_rate(flip);
        if (!(epsilon > 0) || k * flip_epsilon(flip) > epsilon)
            continue;
        for (unsigned t = 1; t <= k; t++) {
            struct rr_design trial = {.k = k, .t = t};
            rr_rates(n, bits / k, k, t, 1 - b, b, &trial.fpr, &trial.fnr);
            keep_better(out, &found, trial);
        }
    }
    return found;
}

int published_best(double epsilon, uint64_t n, uint64_t bits, struct rr_design *out)
{
    int found = 0;
    double survive = 1 - threshold_rate(flip_threshold(epsilon));
    for (unsigned k = 1; k <= RR_MOST_K && bits / k; k++) {
        struct rr_design trial = {.k = k, .t = k};
        rr_rates(n, bits / k, k, k, survive, 0, &trial.fpr, &trial.fnr);
        keep_better(out, &found, trial);
    }
    return found;
}

/* ---- the linear-equation filter ---- */

double lef_depth(uint64_t accept, uint32_t columns, int dyadic)
{
    double depth = 0;
    if (!dyadic)
        return columns;
    for (uint32_t i = 0; i < columns; i++)
        if (accept >> i & 1)
            depth += ldexp(1, (int)i) / (double)accept * (columns - i);
    return depth;
}

int lef_evaluate(struct lef_design *design, double slack)
{
    if (design->columns < 1 || design->columns > LEF_MOST_COLUMNS || !design->accept ||
        design->accept > UINT64_C(1) << (design->columns - 1))
        return 0;
    if (design->dyadic && __builtin_popcountll(design->accept) > LEF_MOST_GROUPS)
        return 0;
    double left_out = threshold_rate(design->erase);
    design->fpr = ldexp((double)design->accept, -(int)design->columns);
    design->fnr = left_out * (1 - design->fpr);
    design->bits = (1 - left_out) * lef_depth(design->accept, design->columns, design->dyadic) * (1 + slack);
    return 1;
}

static double errors(const struct lef_design *design)
{
    return design->fpr + design->fnr;
}

/* More accepted values than the fewest that keep epsilon would only cost; so one design for each number of columns. */
static int lef_trial(double epsilon, double slack, int dyadic, uint32_t columns, struct lef_design *out)
{
    *out = (struct lef_design){.erase = erase_threshold(epsilon), .columns = columns, .dyadic = dyadic};
    out->accept = lef_accept(epsilon, columns);
    return lef_evaluate(out, slack) && lef_epsilon(out->erase, columns, out->accept) <= epsilon;
}

int lef_choose(double epsilon, double slack, int dyadic, double most_bits, struct lef_design *out)
{
    struct lef_design trial;
    double capacity = most_bits > 0 ? most_bits : HUGE_VAL, least = HUGE_VAL;
    int found = 0;
    for (uint32_t columns = 1; columns <= LEF_MOST_COLUMNS; columns++)
        if (lef_trial(epsilon, slack, dyadic, columns, &trial) && trial.bits <= capacity)
            least = fmin(least, errors(&trial));
    double most_errors = least * (most_bits > 0 ? EQUAL : NEAR);
    for (uint32_t columns = 1; columns <= LEF_MOST_COLUMNS; columns++)
        if (lef_trial(epsilon, slack, dyadic, columns, &trial) && trial.bits <= capacity &&
            errors(&trial) <= most_errors && (!found || trial.bits < out->bits * SMALLER)) {
            *out = trial;
            found = 1;
        }
    return found;
}

/* ---- Dime and Nickel ---- */

/* The best k for `released` keys; q is the chance that a key outside the set is released, miss that one of it is not.
 */
static int bloom_best(uint64_t released, uint64_t bits, double q, double miss, struct dime_design *out)
{
    int found = 0;
    for (unsigned k = 1; k <= DIME_MOST_K && bits / k; k++) {
        double rate = rate_bloom(released, bits / k, k);
        struct dime_design trial = {k, released, q + (1 - q) * rate, miss * (1 - rate)};
        if (found && trial.fpr + trial.fnr >= out->fpr + out->fnr)
            continue;
        *out = trial;
        found = 1;
    }
    return found;
}

static uint64_t expected(uint64_t n, uint64_t universe, double keep, double decoy)
{
    return (uint64_t)ceil((double)n * keep + (double)(universe - n) * decoy);
}

int dime_best(double epsilon, uint64_t n, uint64_t universe, uint64_t bits, struct dime_design *out)
{
    double q = threshold_rate(flip_threshold(epsilon));
    return universe >= n && bloom_best(expected(n, universe, 1 - q, q), bits, q, q, out);
}

int nickel_best(double epsilon, uint64_t n, uint64_t universe, uint64_t bits, struct dime_design *out)
{
    double q = threshold_rate(erase_threshold(epsilon));
    return universe >= n && bloom_best(expected(n, universe, 1, q), bits, q, 0, out);
}
