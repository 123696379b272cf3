/* SPDX-License-Identifier: MIT */
/*
 * core/rates: the formulas against counting every outcome at small n, against a slow sum at larger n, and against a
 * simulation; that they move the right way; and that their inverses are tight.
 */
#include <math.h>

#include "check.h"
#include "random.h"
#include "rates.h"

#define assert_near(got, want, tolerance)                                                                 \
    assert_that(fabs((got) - (want)) <= (tolerance)*fabs(want), "%.17g is not within %g of %.17g", (got), \
                (double)(tolerance), (want))

/* The chance that cell 0 of `cells` is hit by n throws, by counting all cells^n ways. */
static double hit_by_counting(unsigned n, unsigned cells)
{
    uint64_t ways = 1, hits = 0;
    for (unsigned i = 0; i < n; i++)
        ways *= cells;
    for (uint64_t way = 0; way < ways; way++) {
        uint64_t rest = way;
        int hit = 0;
        for (unsigned i = 0; i < n; i++, rest /= cells)
            hit |= rest % cells == 0;
        hits += (uint64_t)hit;
    }
    return (double)hits / (double)ways;
}

static void test_bloom_by_counting(void **state)
{
    (void)state;
    for (unsigned n = 0; n <= 6; n++)
        for (unsigned units = 1; units <= 7; units++)
            for (unsigned k = 1; k <= 64; k += 7) {
                double one = hit_by_counting(n, units);
                assert_near(rate_bloom(n, units, k), pow(one, k), 1e-12);
            }
}

/* The chance that no cell of key 0's region is hit twice, by counting all part^n ways. */
static double unshared_by_counting(unsigned n, unsigned part, unsigned region)
{
    uint64_t ways = 1, good = 0;
    for (unsigned i = 0; i < n; i++)
        ways *= part;
    for (uint64_t way = 0; way < ways; way++) {
        uint64_t rest = way, seen = 0;
        unsigned mine = (unsigned)(way % part) / region;
        int twice = 0;
        for (unsigned i = 0; i < n; i++, rest /= part) {
            uint64_t cell = UINT64_C(1) << rest % part;
            twice |= rest % part / region == mine && (seen & cell);
            seen |= cell;
        }
        good += !twice;
    }
    return (double)good / (double)ways;
}

static void test_deletable_by_counting(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 5; n++)
        for (unsigned region = 1; region <= 8; region++)
            for (unsigned part = region; part <= 8; part += region) {
                double one = unshared_by_counting(n, part, region);
                assert_near(rate_unshared(n, part, region), one, 1e-12);
                assert_near(rate_deletable(n, part, region, 3), 1 - pow(1 - one, 3), 1e-12);
            }
}

/* Many keys in many cells: each cell's number of keys follows the Poisson law. */
static void test_deletable_at_large_sizes(void **state)
{
    static const unsigned regions[] = {1, 2, 4, 10, 64};
    (void)state;
    for (double load = 0.01; load < 3; load *= 1.7)
        for (size_t i = 0; i < 5; i++) {
            uint64_t part = regions[i] * 10000000ull, n = (uint64_t)(load * (double)part);
            double law = exp(-load * regions[i]) * pow(1 + load, regions[i] - 1);
            assert_near(rate_unshared(n, part, regions[i]), law, 1e-4);
        }
    assert_true(rate_unshared(0, 64, 4) == 1 && rate_unshared(1, 64, 4) == 1);
    assert_true(rate_unshared(UINT64_C(1) << 53, 64, 4) == 0 && rate_unshared(9, 8, 8) == 0);
    assert_true(rate_deletable(0, 64, 4, 7) == 1);
}

/* All ways in which n keys pick blocks and lanes would be too many to count; given how many keys are in a block its
 * lanes are independent, so counting the choices of blocks and of one lane's bits is the same. */
static void test_blocked_by_counting(void **state)
{
    (void)state;
    for (unsigned n = 0; n <= 5; n++)
        for (unsigned units = 1; units <= 5; units++) {
            double expected = 0, ways = pow(units, n);
            for (uint64_t way = 0; way < (uint64_t)ways; way++) {
                uint64_t rest = way;
                double free_bit = 1; /* chance that a given bit of a lane of block 0 stays zero */
                for (unsigned i = 0; i < n; i++, rest /= units)
                    free_bit *= rest % units == 0 ? 63.0 / 64 : 1;
                expected += pow(1 - free_bit, 8) / ways;
            }
            assert_near(rate_blocked(n, units, 8), expected, 1e-9);
        }
}

/* The sum over all loads, with the binomial law from its recurrence instead of factorials. */
static double blocked_slowly(unsigned n, unsigned units, unsigned k)
{
    long double p = 1.0L / units, load = powl(1 - p, n), sum = 0;
    for (unsigned j = 0; j <= n && (load > 1e-40L || j < n / units); j++) {
        sum += load * powl(1 - powl(1 - (long double)k / BLOCK_BITS, j), k);
        load *= (long double)(n - j) / (j + 1) * p / (1 - p);
    }
    return (double)sum;
}

static void test_blocked_by_slow_sum(void **state)
{
    static const struct {
        unsigned n, units, k;
        double tolerance;
    } cases[] = {
        {10, 3, 8, 1e-9},          {100, 2, 16, 1e-9},        {1000, 20, 8, 1e-9},        {1000, 1000, 16, 1e-9},
        {50000, 1000, 8, 1e-9},    {500000, 9999, 8, 1e-8},   {500000, 10000, 8, 1.5e-4}, {500000, 10000, 16, 1.5e-4},
        {20000, 10000, 8, 1.5e-3}, {1000000, 30000, 8, 1e-4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_near(rate_blocked(cases[i].n, cases[i].units, cases[i].k),
                    blocked_slowly(cases[i].n, cases[i].units, cases[i].k), cases[i].tolerance);
}

/* 400 filters of 500 keys in 12 blocks, 1000 queries each, seeds fixed: within 3 sigma, sigma from the filters. */
static void test_blocked_by_simulation(void **state)
{
    enum { FILTERS = 400, KEYS = 500, BLOCKS = 12, QUERIES = 1000 };
    double sum = 0, squares = 0;
    uint64_t seed = 11;
    (void)state;
    for (int f = 0; f < FILTERS; f++) {
        uint64_t block[BLOCKS][8] = {{0}};
        double hits = 0;
        for (int i = 0; i < KEYS + QUERIES; i++) {
            uint64_t *words = block[random_below(&seed, BLOCKS)], bits = next_random(&seed), all = 1;
            for (int j = 0; j < 8; j++)
                all &= words[j] >> (bits >> 6 * j & 63);
            for (int j = 0; j < 8 && i < KEYS; j++)
                words[j] |= UINT64_C(1) << (bits >> 6 * j & 63);
            hits += i >= KEYS ? (double)(all & 1) : 0;
        }
        sum += hits / QUERIES;
        squares += hits / QUERIES * hits / QUERIES;
    }
    double mean = sum / FILTERS, sigma = sqrt((squares / FILTERS - mean * mean) / FILTERS);
    double expected = rate_blocked(KEYS, BLOCKS, 8), classic = pow(1 - exp(-8.0 * KEYS / (BLOCKS * 512)), 8);
    print_message("simulated %.5f +- %.5f, formula %.5f, classic %.5f\n", mean, sigma, expected, classic);
    assert_true(fabs(mean - expected) < 3 * sigma);
    assert_true(fabs(mean - classic) > 3 * sigma); /* the control: the formula that forgets the uneven load */
}

/* More keys: never a lower rate. More room: never a higher one. Up to rounding, and for rates that anyone would ask
 * for: from 10^4 blocks on the loads follow the Poisson law, which says more than the truth where rates are below
 * 10^-9. */
static void check_monotone(rate_of *rate, unsigned k)
{
    static const uint64_t steps[] = {1, 2, 3, 10, 100, 999, 1000, 9998, 9999, 10000, 10001, 100000, 1000000};
    enum { STEPS = sizeof steps / sizeof steps[0] };
    for (size_t u = 0; u < STEPS; u++)
        for (size_t i = 0; i < STEPS; i++) {
            double here = rate(steps[i], steps[u], k), rounding = 1 + 1e-8;
            assert_true(here >= 0 && here <= 1);
            if (i)
                assert_true(here * rounding >= rate(steps[i - 1], steps[u], k));
            if (u && here > 1e-9)
                assert_true(here <= rate(steps[i], steps[u - 1], k) * rounding);
        }
}

static void test_rates_are_monotone(void **state)
{
    (void)state;
    check_monotone(rate_bloom, 1);
    check_monotone(rate_bloom, 7);
    check_monotone(rate_bloom, 64);
    check_monotone(rate_blocked, 8);
    check_monotone(rate_blocked, 16);
}

static void test_rates_at_the_edges(void **state)
{
    (void)state;
    assert_true(rate_bloom(0, 1, 1) == 0 && rate_blocked(0, 1, 8) == 0 && rate_blocked(0, 20000, 8) == 0);
    assert_true(rate_bloom(5, 1, 3) == 1);
    assert_true(rate_bloom(UINT64_C(1) << 53, 1000, 64) == 1);
    assert_true(rate_blocked(1000000, 1, 8) == 1);
    assert_near(rate_bloom(1, UINT64_C(1) << 46, 1), 0x1p-46, 1e-9);
}

/* A filter with far too many keys says yes to everything, whatever the size of the numbers. */
static void test_overfull_blocks_are_certain(void **state)
{
    (void)state;
    for (double n = 1e7; n < 2e15; n *= 10)
        assert_near(rate_blocked((uint64_t)n, 1953, 8), 1.0, 0.02);
}

static void check_tight(rate_of *rate, unsigned k, uint64_t n, double fpr)
{
    const uint64_t limit = UINT64_C(1) << 40;
    uint64_t units = rate_fewest_units(rate, n, k, fpr, limit);
    if (units > limit) {
        assert_true(rate(n, limit, k) > fpr);
        return;
    }
    assert_true(rate(n, units, k) <= fpr);
    assert_true(units == 1 || rate(n, units - 1, k) > fpr);
    uint64_t keys = rate_most_keys(rate, units, k, fpr, UINT64_C(1) << 53);
    assert_true(keys >= n && rate(keys, units, k) <= fpr && rate(keys + 1, units, k) > fpr);
}

static void test_inverses_are_tight(void **state)
{
    static const double rates[] = {0.9, 0.5, 0.1, 0.01, 0.001, 1e-4, 1e-6, 1e-9};
    static const uint64_t counts[] = {1, 2, 3, 10, 100, 1000, 12345, 1000000, 30000000};
    (void)state;
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            for (unsigned k = 1; k <= 64; k += 9)
                check_tight(rate_bloom, k, counts[c], rates[r]);
            check_tight(rate_blocked, 8, counts[c], rates[r]);
            check_tight(rate_blocked, 16, counts[c], rates[r]);
        }
}

static void test_inverses_at_the_limit(void **state)
{
    (void)state;
    assert_int_equal(rate_fewest_units(rate_bloom, 1000, 1, 1e-9, 1000), 1001);
    assert_int_equal(rate_fewest_units(rate_bloom, 0, 1, 0.5, 1000), 1);
    assert_int_equal(rate_most_keys(rate_bloom, 1, 1, 0.5, 1000), 0);
    assert_int_equal(rate_most_keys(rate_bloom, 1 << 20, 1, 0.5, 1000), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bloom_by_counting),           cmocka_unit_test(test_blocked_by_counting),
        cmocka_unit_test(test_blocked_by_slow_sum),         cmocka_unit_test(test_deletable_by_counting),
        cmocka_unit_test(test_deletable_at_large_sizes),    cmocka_unit_test(test_blocked_by_simulation),
        cmocka_unit_test(test_rates_are_monotone),          cmocka_unit_test(test_rates_at_the_edges),
        cmocka_unit_test(test_overfull_blocks_are_certain), cmocka_unit_test(test_inverses_are_tight),
        cmocka_unit_test(test_inverses_at_the_limit),
    };
    return cmocka_run_group_tests_name("rates", tests, NULL, NULL);
}
