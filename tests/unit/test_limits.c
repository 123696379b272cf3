/* SPDX-License-Identifier: MIT */
/*
 * The limits of full filters (core/rates.h): n random keys exceed them with chance 10^-9 at most. The chance itself is
 * bounded here from the law of what is measured, by more work than a filter could do when it is opened; and a limit
 * half as far from the mean does not pass, so that the bound is able to fail.
 */
#include "rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static double power(double x, unsigned k)
{
    return pow(x, k);
}

/* ---- cells: the number that is used in k partitions, exactly ---- */

enum { MOST_CELLS = 400 };

/* law[i] becomes the chance that n keys use i of `part` cells. */
static void law_of_partition(unsigned n, unsigned part, double *law)
{
    memset(law, 0, MOST_CELLS * sizeof *law);
    law[0] = 1;
    for (unsigned i = 0; i < n; i++)
        for (unsigned used = part; used <= part; used--)
            law[used] = law[used] * used / part + (used ? law[used - 1] * (part - used + 1) / part : 0);
}

static double chance_of_more_cells(unsigned n, unsigned part, unsigned k, double limit)
{
    double one[MOST_CELLS], sum[MOST_CELLS] = {1}, next[MOST_CELLS], chance = 0;
    assert_true(k * part < MOST_CELLS);
    law_of_partition(n, part, one);
    for (unsigned p = 0; p < k; p++) {
        memset(next, 0, sizeof next);
        for (unsigned i = 0; i <= p * part; i++)
            for (unsigned j = 0; j <= part; j++)
                next[i + j] += sum[i] * one[j];
        memcpy(sum, next, sizeof sum);
    }
    for (unsigned i = 0; i < MOST_CELLS; i++)
        chance += i > limit ? sum[i] : 0;
    return chance;
}

static void test_cells(void **state)
{
    static const unsigned shapes[][3] = {{1, 1, 1},   {1, 2, 7},   {2, 3, 7},     {10, 15, 7},  {40, 58, 6},
                                         {30, 99, 4}, {99, 60, 6}, {100, 199, 2}, {300, 390, 1}};
    unsigned halves = 0;
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        unsigned n = shapes[i][0], part = shapes[i][1], k = shapes[i][2];
        double limit = limit_cells(n, part, k), mean = k * part * (1 - pow(1 - 1.0 / part, n));
        double chance = chance_of_more_cells(n, part, k, limit);
        assert_that(chance <= 1e-9, "n=%u, %u partitions of %u: %g above %g", n, k, part, chance, limit);
        assert_true(limit <= k * (n < part ? n : part));
        halves += chance_of_more_cells(n, part, k, (mean + limit) / 2) > 1e-9;
    }
    assert_int_equal(halves, 7); /* all but those where nothing is left to chance */
    assert_true(limit_cells(0, 10, 7) == 0);
}

/* ---- blocks ---- */

/* The law of the share that a block accepts, on a grid of its logarithm: law[i] is the chance of a share above
 * 2^(-(i+1)/GRID) and up to 2^(-i/GRID). */
enum { GRID = 28, BINS = GRID * 110, MOST_LOAD = 400 };

static double share_of_bin(unsigned i)
{
    return exp2(-(double)i / GRID);
}

/* The square of a law: that of the product of two lanes, or of two halves. */
static void multiply(double *law)
{
    double product[BINS] = {0};
    unsigned last = BINS;
    while (last && law[last - 1] < 1e-20)
        last--;
    for (unsigned i = 0; i < last; i++)
        if (law[i] > 1e-20)
            for (unsigned j = 0; j < last && i + j < BINS; j++)
                product[i + j] += law[i] * law[j];
    memcpy(law, product, sizeof product);
}

static void law_of_block(double lambda, unsigned k, double *law)
{
    unsigned lane = BLOCK_BITS / k;
    double used[65] = {1};
    memset(law, 0, BINS * sizeof *law);
    for (unsigned keys = 0; keys < MOST_LOAD; keys++) {
        double chance = exp(keys * log(lambda) - lambda - lgamma(keys + 1.0)), one[BINS] = {0};
        for (unsigned ones = 1; ones <= lane && chance > 1e-19; ones++) {
            unsigned bin = (unsigned)floor(-log2((double)ones / lane) * GRID + 1e-9);
            one[bin] += used[ones];
        }
        for (unsigned lanes = 1; lanes < k && keys && chance > 1e-19; lanes *= 2)
            multiply(one);
        for (unsigned i = 0; i < BINS && chance > 1e-19; i++)
            law[i] += chance * one[i];
        for (unsigned ones = lane; ones <= lane; ones--)
            used[ones] = used[ones] * ones / lane + (ones ? used[ones - 1] * (lane - ones + 1) / lane : 0);
    }
}

static double poisson_mean(double lambda, unsigned k)
{
    double mean = 0;
    for (unsigned keys = 1; keys < MOST_LOAD; keys++)
        mean +=
            exp(keys * log(lambda) - lambda - lgamma(keys + 1.0)) * power(1 - pow(1 - k / (double)BLOCK_BITS, keys), k);
    return mean;
}

static double mean_of(const double *law)
{
    double mean = 0;
    for (unsigned i = 0; i < BINS; i++)
        mean += law[i] * share_of_bin(i);
    return mean;
}

/* Chernoff's bound on the sum of shares where none is above bin `top`, at s: its logarithm. */
static double chernoff(const double *law, unsigned top, double scale, double blocks, double limit, double s)
{
    double moment = 0;
    for (unsigned i = top; i < BINS; i++)
        if (law[i] > 0)
            moment += law[i] * expm1(s * scale * share_of_bin(i));
    return blocks * log1p(moment) - s * limit;
}

/* Of all bounds "some share is above bin `top`, or the sum of smaller ones is above the limit", the best. The grid
 * rounds shares up, by less than 3 % for each of their lanes; they are scaled back to the mean that they have. Twice:
 * see core/rates.h. */
static double chance_of_more_blocks(const double *law, double mean, double blocks, double limit)
{
    double scale = mean / mean_of(law), best = 1, above = 0;
    for (unsigned top = 0; top < BINS / 2 && blocks * above < 1e-9; top += 2) {
        double largest = scale * share_of_bin(top);
        for (double s = 0.002 / largest; s < 80 / largest; s *= 1.15)
            best = fmin(best, blocks * above + exp(chernoff(law, top, scale, blocks, limit, s)));
        above += law[top] + law[top + 1];
    }
    return 2 * best;
}

/* Returns 1 when a limit half as far from the mean would not have done. */
static int check_blocks(uint64_t n, double fpr, unsigned k)
{
    static double law[BINS];
    uint64_t units = rate_fewest_units(rate_blocked, n, k, fpr, UINT64_C(1) << 37);
    double blocks = (double)units, keys = (double)n, lane = BLOCK_BITS / (double)k, limit = limit_blocks(n, units, k);
    double full = floor(keys / lane), most = fmin(blocks, full + power(keys / lane - full, k));
    law_of_block(keys / blocks, k, law);
    double mean = poisson_mean(keys / blocks, k), half = (blocks * mean + limit) / 2;
    double chance = limit < most ? chance_of_more_blocks(law, mean, blocks, limit) : 0;
    assert_that(chance <= 1e-9, "n=%llu, fpr=%g, k=%u: %g", (unsigned long long)n, fpr, k, chance);
    assert_true(limit <= most);
    return chance_of_more_blocks(law, mean, blocks, half) > 1e-9;
}

static void test_blocks(void **state)
{
    static const double rates[] = {0.5, 0.1, 0.01, 0.001, 1e-6, 1e-10};
    static const uint64_t sizes[] = {30, 1000, 30000, 1000000, 100000000};
    unsigned halves = 0, shapes = 0, step = test_full() ? 1 : 13;
    (void)state;
    for (unsigned i = 0; i < 60; i += step, shapes++)
        halves += (unsigned)check_blocks(sizes[i / 12], rates[i / 2 % 6], i % 2 ? 16 : 8);
    assert_that(halves > shapes / 2, "%u of %u", halves, shapes);
    assert_true(limit_blocks(0, 10, 8) == 0 && limit_blocks(100000, 1, 8) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
