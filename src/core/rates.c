/* SPDX-License-Identifier: MIT */
#include "rates.h"

#include <math.h>

/* 1 - (1 - 1/cells)^n: the chance that n random throws hit a given one of `cells` cells. */
static double hit_chance(double n, double cells)
{
    if (n <= 0)
        return 0;
    return cells <= 1 ? 1 : -expm1(n * log1p(-1 / cells));
}

double rate_bloom(uint64_t n, uint64_t units, unsigned k)
{
    return pow(hit_chance((double)n, (double)units), k);
}

static double log_factorial(double x)
{
    int sign;
    return lgamma_r(x + 1, &sign);
}

/* ln P[J = j], J ~ Binomial(n, 1/units); the Poisson law from 10^4 units on, where the two differ by less than
 * 10^-4 of the rate and ln n! of a large n would lose more. */
static double log_load(double j, double n, double units)
{
    if (units >= 1e4)
        return j * log(n / units) - n / units - log_factorial(j);
    return log_factorial(n) - log_factorial(j) - log_factorial(n - j) - j * log(units) + (n - j) * log1p(-1 / units);
}

/* P[J = j + 1] / P[J = j] */
static double load_ratio(double j, double n, double units)
{
    return units >= 1e4 ? n / units / (j + 1) : (n - j) / (j + 1) / (units - 1);
}

/* The chance that a block with j keys accepts a fresh one: k lanes, each with 1 - miss of its bits set, miss = (1 -
 * k/512)^j. */
static double accept(double miss, unsigned k)
{
    double hit = 1 - miss, all = 1;
    for (; k; k /= 2, hit *= hit)
        all *= k % 2 ? hit : 1;
    return all;
}

/* Sums outward from the likeliest load, where no term underflows, until what is left weighs less than 10^-30. */
double rate_blocked(uint64_t n, uint64_t units, unsigned k)
{
    double keys = (double)n, blocks = (double)units, keep = 1 - k / (double)BLOCK_BITS;
    if (!n)
        return 0;
    if (units <= 1)
        return pow(hit_chance(keys, (double)BLOCK_BITS / k), k);
    if (keys / blocks * k > 60 * BLOCK_BITS)
        return 1; /* e^-60 of each lane is empty */
    double middle = floor(keys / blocks), spread = 12 * sqrt(middle) + 40;
    double at_middle = exp(log_load(middle, keys, blocks)), sum = 0;
    double load = at_middle, miss = pow(keep, middle);
    for (double j = middle; j <= keys && j <= middle + spread; j++) {
        sum += load * accept(miss, k);
        load *= load_ratio(j, keys, blocks);
        miss *= keep;
    }
    load = at_middle, miss = pow(keep, middle);
    for (double j = middle - 1; j >= 1 && j >= middle - spread; j--) {
        load /= load_ratio(j, keys, blocks);
        miss /= keep;
        sum += load * accept(miss, k);
    }
    return fmin(sum, 1);
}

double limit_cells(uint64_t n, uint64_t part, unsigned k)
{
    double cells = (double)part, keys = (double)n, log_r = cells > 1 ? log1p(-1 / cells) : -INFINITY;
    if (!n)
        return 0;
    double used = hit_chance(keys, cells) * cells;
    double range = cells > 1 ? expm1(2 * keys * log_r) / expm1(2 * log_r) : 1;
    return fmin(k * fmin(keys, cells), k * used + sqrt(k * range * log(1e9) / 2));
}

/* Mean and variance of the share that a block accepts, which has a Poisson number of keys. Of a lane's bits a share u
 * is empty; the moments of u for j keys are those of cells that none of them hit. */
static void block_moments(double lambda, unsigned k, double *mean, double *variance)
{
    double lane = (double)BLOCK_BITS / k, spread = 12 * sqrt(lambda) + 40;
    double j = fmax(1, floor(lambda - spread)), end = floor(lambda + spread), first = 0, second = 0;
    double load = exp(j * log(lambda) - lambda - log_factorial(j)), one = pow(1 - 1 / lane, j),
           two = pow(1 - 2 / lane, j);
    for (; j <= end; j++) {
        double square = ((lane - 1) * two + one) / lane;
        first += load * accept(one, k);
        second += load * accept(2 * one - square, k);
        load *= lambda / (j + 1);
        one *= 1 - 1 / lane;
        two *= 1 - 2 / lane;
    }
    *mean = first;
    *variance = fmax(second - first * first, 0);
}

/* What n keys can do that someone chose: fill one block after the other. */
static double most_in_blocks(double n, double blocks, unsigned k)
{
    double lane = (double)BLOCK_BITS / k, full = floor(n / lane);
    return fmin(blocks, full + pow((n - full * lane) / lane, k));
}

double limit_blocks(uint64_t n, uint64_t units, unsigned k)
{
    double keys = (double)n, blocks = (double)units, lambda = keys / blocks, mean, variance;
    if (!n)
        return 0;
    if (lambda * k > 60 * BLOCK_BITS)
        return blocks;
    block_moments(lambda, k, &mean, &variance);
    double crowd = lambda + 7 * sqrt(lambda) + 49.0 / 3;
    double limit = blocks * mean + 7 * sqrt(blocks * variance) + accept(pow(1 - k / (double)BLOCK_BITS, crowd), k);
    return fmin(limit, most_in_blocks(keys, blocks, k));
}

/* Term j is C(n-1, j) (1/part)^j (1 - region/part)^(n-1-j) times (region-1)! / (region-1-j)!, which is the number of
 * ways to put j keys into the other cells; there is one term for each j below `region`. */
double rate_unshared(uint64_t n, uint64_t part, unsigned region)
{
    double others = n ? (double)(n - 1) : 0, rest = (double)part - region, sum = 0;
    if (rest < 1) { /* one region is all there is: everyone is in it */
        double all = 1;
        for (double j = 1; j <= others && all > 0; j++)
            all *= 1 - j / region;
        return all;
    }
    double term = exp(others * log1p(-(double)region / (double)part));
    for (double j = 0; j < region && j <= others; j++) {
        sum += term;
        term *= (others - j) * (region - 1 - j) / (j + 1) / rest;
    }
    return fmin(sum, 1);
}

double rate_deletable(uint64_t n, uint64_t part, unsigned region, unsigned k)
{
    return 1 - pow(1 - rate_unshared(n, part, region), k);
}

/* The smallest value in (low, high] for which `holds` does, given that it does not for low and does for high. */
static uint64_t bisect(uint64_t low, uint64_t high, int (*holds)(const void *ctx, uint64_t value), const void *ctx)
{
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (holds(ctx, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

struct request {
    rate_of *rate;
    uint64_t n, units;
    unsigned k;
    double fpr;
};

static int units_suffice(const void *ctx, uint64_t units)
{
    const struct request *request = ctx;
    return request->rate(request->n, units, request->k) <= request->fpr;
}

static int keys_are_too_many(const void *ctx, uint64_t n)
{
    const struct request *request = ctx;
    return request->rate(n, request->units, request->k) > request->fpr;
}

uint64_t rate_fewest_units(rate_of *rate, uint64_t n, unsigned k, double fpr, uint64_t limit)
{
    struct request request = {rate, n, 0, k, fpr};
    uint64_t high = 1;
    while (!units_suffice(&request, high)) {
        if (high >= limit)
            return limit + 1;
        high = high > limit / 2 ? limit : high * 2;
    }
    return bisect(0, high, units_suffice, &request);
}

uint64_t rate_most_keys(rate_of *rate, uint64_t units, unsigned k, double fpr, uint64_t limit)
{
    struct request request = {rate, 0, units, k, fpr};
    uint64_t high = 1;
    while (!keys_are_too_many(&request, high)) {
        if (high >= limit)
            return limit;
        high = high > limit / 2 ? limit : high * 2;
    }
    return bisect(0, high, keys_are_too_many, &request) - 1;
}
