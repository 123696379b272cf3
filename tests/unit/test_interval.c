/* SPDX-License-Identifier: MIT */
/*
 * lab/interval: known values, the definition (the tail at each end is what was left out, summed term by term), limits,
 * and the share of experiments whose interval holds the truth, with the normal approximation as the control.
 */
#include <math.h>

#include "check.h"
#include "interval.h"
#include "random.h"

static void close_to(double got, double want, double error)
{
    assert_that(fabs(got - want) <= error, "%.12g and not %.12g", got, want);
}

/* Computed with fractions, and closed forms at 0 hits: 1 - (alpha / 2)^(1 / n). */
static void test_known_values(void **state)
{
    static const struct {
        uint64_t hits, trials;
        double confidence, low, high;
    } known[] = {
        {0, 10, 0.95, 0, 0.3084971},
        {10, 10, 0.95, 0.6915029, 1},
        {1, 10, 0.95, 0.002528579, 0.4450161},
        {5, 10, 0.95, 0.1870860, 0.8129140},
        {10, 100, 0.95, 0.04900469, 0.1762226},
        {7, 20, 0.9, 0.1773109, 0.5580345},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct interval interval = interval_exact(known[i].hits, known[i].trials, known[i].confidence);
        close_to(interval.low, known[i].low, 1e-7);
        close_to(interval.high, known[i].high, 1e-7);
    }
    close_to(interval_upper(0, 1000, 0.95), 1 - pow(0.05, 0.001), 1e-15);
    close_to(interval_lower(1000, 1000, 0.95), pow(0.05, 0.001), 1e-15);
}

static void test_limits(void **state)
{
    (void)state;
    struct interval none = interval_exact(0, 0, 0.999);
    assert_true(none.low == 0 && none.high == 1);
    close_to(beta_share(0.3, 1, 1), 0.3, 1e-15);
    close_to(beta_share(0.3, 2, 1), 0.09, 1e-15);
    close_to(beta_share(0.5, 1e6, 1e6), 0.5, 1e-9);
    assert_true(beta_share(0, 2, 3) == 0 && beta_share(1, 2, 3) == 1 && beta_share(-1, 2, 3) == 0);
}

/* P[Bin(n, p) <= k], term by term. */
static double tail(uint64_t n, double p, uint64_t k)
{
    double term = pow(1 - p, (double)n), sum = term;
    for (uint64_t i = 0; i < k; i++) {
        term *= (double)(n - i) / (double)(i + 1) * p / (1 - p);
        sum += term;
    }
    return sum;
}

static void test_tails_are_what_was_left_out(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 60; n = n * 3 / 2 + 1)
        for (uint64_t k = 0; k <= n; k++) {
            struct interval interval = interval_exact(k, n, 0.999);
            if (k)
                close_to(1 - tail(n, interval.low, k - 1), 0.0005, 1e-9);
            if (k < n)
                close_to(tail(n, interval.high, k), 0.0005, 1e-9);
        }
}

/* Large counts: the normal approximation is good there, and the two must agree. */
static void test_large_counts(void **state)
{
    (void)state;
    for (double n = 1e5; n <= 1e8; n *= 10) {
        struct interval interval = interval_exact((uint64_t)(0.3 * n), (uint64_t)n, 0.999);
        double sigma = sqrt(0.21 / n);
        close_to((interval.high - 0.3) / sigma, 3.2905, 0.02);
        close_to((0.3 - interval.low) / sigma, 3.2905, 0.02);
    }
}

/* 20,000 experiments of 50 trials at p = 0.05: at 95 % at least 95 % of the intervals hold p. Those of the normal
 * approximation do not (0.91 by exact summation): without that control, the first check could not fail. */
static void test_coverage(void **state)
{
    enum { EXPERIMENTS = 20000, TRIALS = 50 };
    uint64_t random = 2024, exact = 0, normal = 0;
    const double p = 0.05, sigma = sqrt(0.95 * 0.05 / EXPERIMENTS);
    struct interval intervals[TRIALS + 1];
    (void)state;
    for (uint64_t hits = 0; hits <= TRIALS; hits++)
        intervals[hits] = interval_exact(hits, TRIALS, 0.95);
    for (int i = 0; i < EXPERIMENTS; i++) {
        uint64_t hits = 0;
        for (int j = 0; j < TRIALS; j++)
            hits += next_random(&random) < (uint64_t)(p * 0x1p64);
        double share = (double)hits / TRIALS, half = 1.96 * sqrt(share * (1 - share) / TRIALS);
        exact += intervals[hits].low <= p && p <= intervals[hits].high;
        normal += fabs(share - p) <= half;
    }
    assert_that((double)exact / EXPERIMENTS > 0.95 - 3 * sigma, "%.4f of the intervals hold the truth",
                (double)exact / EXPERIMENTS);
    assert_that((double)normal / EXPERIMENTS < 0.95 - 3 * sigma, "the control was not rejected: %.4f",
                (double)normal / EXPERIMENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_tails_are_what_was_left_out),
        cmocka_unit_test(test_large_counts),
        cmocka_unit_test(test_coverage),
    };
    return cmocka_run_group_tests_name("interval", tests, NULL, NULL);
}
