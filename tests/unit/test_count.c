/* SPDX-License-Identifier: MIT */
/*
 * privacy/count: the noise of a noisy count is two-sided geometric, P[x] = (1 - a) / (1 + a) * a^|x|, and the margin is
 * as wide as COUNT_SHORT says. 200 000 draws from a fixed seed for each epsilon; the controls are the same noise at
 * another epsilon, and noise to one side only.
 */
#include "noisy_count.h"
#include "count.h"

#include <math.h>

#include "check.h"
#include "rounding.h"

enum { DRAWS = 200000, MIDDLE = 8, CELLS = 2 * MIDDLE + 1 };

static const uint64_t truth = 1000000;

struct drawn {
    double mean, variance;
    double cell[CELLS]; /* how often the noise was -MIDDLE or less, -MIDDLE + 1, ... MIDDLE or more */
};

static struct drawn draw(uint64_t threshold, unsigned char seed)
{
    const unsigned char key[32] = {seed};
    struct rng rng;
    struct sampler *sampler = malloc(sizeof *sampler);
    struct drawn drawn = {0, 0, {0}};
    assert_non_null(sampler);
    assert_status(UF_OK, rng_open_seeded(&rng, key), NULL);
    sampler_start(sampler, &rng);
    for (int i = 0; i < DRAWS; i++) {
        double noise = (double)count_noisy(sampler, threshold, truth) - (double)truth - (double)count_margin(threshold);
        drawn.mean += noise / DRAWS;
        drawn.variance += noise * noise / DRAWS;
        drawn.cell[(int)fmin(fmax(noise, -MIDDLE), MIDDLE) + MIDDLE]++;
    }
    assert_status(UF_OK, sampler_end(sampler), NULL);
    rng_close(&rng);
    free(sampler);
    return drawn;
}

/* Of the noise itself: 2 a / (1 - a)^2. */
static double variance_of(double a)
{
    return 2 * a / ((1 - a) * (1 - a));
}

/* In standard deviations of a mean of DRAWS. */
static double mean_distance(const struct drawn *drawn, double a, double expected)
{
    return (drawn->mean - expected) / sqrt(variance_of(a) / DRAWS);
}

/* Pearson's statistic over the cells: 16 degrees of freedom, of which 99.9 % are below 39.3. Cells that expect fewer
 * than five draws are left out, which makes it smaller. */
static double chi_square(const struct drawn *drawn, double a)
{
    double sum = 0;
    for (int i = 0; i < CELLS; i++) {
        int noise = abs(i - MIDDLE);
        double share = noise < MIDDLE ? (1 - a) / (1 + a) * pow(a, noise) : pow(a, noise) / (1 + a);
        if (share * DRAWS >= 5)
            sum += pow(drawn->cell[i] - share * DRAWS, 2) / (share * DRAWS);
    }
    return sum;
}

static void test_distribution(void **state)
{
    static const double epsilons[] = {0.03, 0.1, 0.5, 1, 3};
    (void)state;
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        uint64_t threshold = erase_threshold(epsilons[i]);
        double a = threshold_rate(threshold);
        struct drawn drawn = draw(threshold, (unsigned char)(i + 1));
        double distance = mean_distance(&drawn, a, 0), fit = chi_square(&drawn, a);
        assert_that(fabs(distance) < 3, "epsilon %g: the mean is %g, %.2f sigma away", epsilons[i], drawn.mean,
                    distance);
        assert_that(fit < 39.3, "epsilon %g: chi-square is %g", epsilons[i], fit);
        assert_true(fabs(drawn.variance / variance_of(a) - 1) < 0.03); /* its deviation is below 0.8 % */
    }
}

/* Other noise is told apart by the same sample and the same bounds. */
static void test_controls(void **state)
{
    uint64_t threshold = erase_threshold(0.5);
    struct drawn drawn = draw(threshold, 3);
    (void)state;
    assert_true(chi_square(&drawn, exp(-0.52)) > 39.3);
    assert_true(chi_square(&drawn, exp(-1)) > 1000);
    double one_sided = exp(-0.5) / (1 - exp(-0.5)); /* the mean of a run of coins alone */
    assert_true(fabs(mean_distance(&drawn, exp(-0.5), one_sided)) > 100);
}

/* P[noise < -margin] = a^(margin + 1) / (1 + a), and the margin is three keys too wide at most. */
static void test_margin(void **state)
{
    (void)state;
    for (double epsilon = COUNT_EPSILON_LEAST; epsilon <= 20; epsilon *= 1.1) {
        uint64_t threshold = erase_threshold(epsilon);
        double a = threshold_rate(threshold), margin = (double)count_margin(threshold);
        double short_of = (margin + 1) * log2(a) - log2(1 + a);
        assert_that(short_of <= -40 && short_of > -41 - 3 * epsilon / log(2), "epsilon %g: short with chance 2^%g",
                    epsilon, short_of);
    }
}

/* Few keys and much noise: never below zero. */
static void test_never_negative(void **state)
{
    const unsigned char key[32] = {9};
    struct rng rng;
    struct sampler *sampler = malloc(sizeof *sampler);
    (void)state;
    assert_non_null(sampler);
    assert_status(UF_OK, rng_open_seeded(&rng, key), NULL);
    sampler_start(sampler, &rng);
    for (int i = 0; i < 1000; i++)
        assert_true(count_noisy(sampler, erase_threshold(COUNT_EPSILON_LEAST), 0) < UINT64_C(1) << 32);
    assert_status(UF_OK, sampler_end(sampler), NULL);
    rng_close(&rng);
    free(sampler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distribution),
        cmocka_unit_test(test_controls),
        cmocka_unit_test(test_margin),
        cmocka_unit_test(test_never_negative),
    };
    return cmocka_run_group_tests_name("count", tests, NULL, NULL);
}
