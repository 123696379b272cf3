/* SPDX-License-Identifier: MIT */
/*
 * privacy/rounding: no threshold is on the wrong side of its epsilon, no epsilon computed from a threshold is below the
 * true one, and both lose next to nothing. The referee works with twice the digits of a double, on every machine: a
 * number is the sum of two doubles.
 */
#include <math.h>

#include "check.h"
#include "random.h"
#include "rounding.h"

/* ---- the referee ---- */

struct twice {
    double high, low;
};

static struct twice two_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (struct twice){sum, (a - (sum - part)) + (b - part)};
}

static struct twice add(struct twice a, struct twice b)
{
    struct twice high = two_sum(a.high, b.high), low = two_sum(a.low, b.low);
    high = two_sum(high.high, high.low + low.high);
    return two_sum(high.high, high.low + low.low);
}

static struct twice times(struct twice a, struct twice b)
{
    double product = a.high * b.high;
    double rest = fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high);
    return two_sum(product, rest);
}

static struct twice plain(double value)
{
    return (struct twice){value, 0};
}

static struct twice whole(uint64_t value)
{
    return two_sum((double)(value >> 32) * 0x1p32, (double)(value & UINT32_MAX));
}

static struct twice minus(struct twice a, struct twice b)
{
    return add(a, (struct twice){-b.high, -b.low});
}

static int below(struct twice a, struct twice b)
{
    struct twice difference = minus(a, b);
    return difference.high < 0;
}

/* 1/x by Newton's step from a double. */
static struct twice inverse(double value)
{
    double first = 1 / value;
    return two_sum(first, first * fma(-value, first, 1));
}

/* e^x by the series at x / 2^10, squared ten times: off by less than 2^-90 of it. */
static struct twice exp_twice(double x)
{
    struct twice small = plain(x * 0x1p-10), sum = plain(1), term = plain(1);
    for (int i = 1; i < 20; i++) {
        term = times(times(term, small), inverse(i));
        sum = add(sum, term);
    }
    for (int i = 0; i < 10; i++)
        sum = times(sum, sum);
    return sum;
}

static void test_the_referee(void **state)
{
    /* e = 2.71828182845904523536028747135266249775724709, in two doubles. */
    struct twice e = exp_twice(1), error = minus(e, (struct twice){0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53});
    struct twice one = times(exp_twice(17.25), exp_twice(-17.25)), third = times(inverse(3), plain(3));
    (void)state;
    assert_that(fabs(error.high) < 0x1p-88, "e is off by %g", error.high);
    assert_that(fabs(minus(one, plain(1)).high) < 0x1p-85, "e^x e^-x is 1 + %g", minus(one, plain(1)).high);
    assert_that(fabs(minus(third, plain(1)).high) < 0x1p-100, "3 / 3 is 1 + %g", minus(third, plain(1)).high);
    assert_true(below(whole(UINT64_MAX), plain(0x1p64)) && !below(plain(0x1p64), whole(UINT64_MAX)));
}

/* ---- epsilons to try ---- */

enum { FIXED = 9, EPSILONS = 20000 };

static double epsilon_at(size_t index)
{
    static const double fixed[FIXED] = {0.05, 0.1, 1, 2, 3, 5, 8, 13, 20};
    uint64_t state = index;
    double share = (double)next_random(&state) * 0x1p-64;
    return index < FIXED ? fixed[index] : EPSILON_LEAST + share * (EPSILON_MOST - EPSILON_LEAST);
}

/* ---- randomized response ---- */

/* T >= 2^64 / (1 + e^eps), as T + T e^eps >= 2^64. */
static int flips_enough(uint64_t threshold, double epsilon)
{
    struct twice t = whole(threshold);
    return !below(add(t, times(t, exp_twice(epsilon))), plain(0x1p64));
}

/* What rounding may cost: 2^-44 of the threshold, two units of it, and the last digits of epsilon. */
static double allowance(uint64_t threshold, double epsilon)
{
    return 2 * 0x1p-44 + 4 / (double)threshold + epsilon * 0x1p-48;
}

static void test_flip_thresholds(void **state)
{
    (void)state;
    for (size_t i = 0; i < EPSILONS; i++) {
        double epsilon = epsilon_at(i);
        uint64_t threshold = flip_threshold(epsilon);
        double back = flip_epsilon(threshold);
        assert_that(flips_enough(threshold, epsilon), "epsilon %.17g: flips too little", epsilon);
        assert_that(back <= epsilon, "epsilon %.17g came back as %.17g", epsilon, back);
        assert_that(back >= epsilon - allowance(threshold, epsilon), "epsilon %.17g became %.17g", epsilon, back);
    }
}

/* An epsilon shared by k bits comes back as at most itself. */
static void test_flip_thresholds_of_k_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < EPSILONS / 20; i++)
        for (unsigned k = 1; k <= 24; k++) {
            double epsilon = epsilon_at(i), back = k * flip_epsilon(flip_threshold(epsilon / k));
            assert_that(back <= epsilon, "epsilon %.17g in %u bits came back as %.17g", epsilon, k, back);
        }
}

/* The control: what a double gives, rounded up to a whole number, is too small for many an epsilon. */
static void test_plain_doubles_flip_too_little(void **state)
{
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        double epsilon = epsilon_at(i);
        wrong += !flips_enough((uint64_t)ceil(0x1p64 / (1 + exp(epsilon))), epsilon);
    }
    assert_that(wrong > 100, "only %u of 1000 were seen to be too small", wrong);
}

/* e^eps T >= 2^64 - T for the epsilon of any threshold: never below the truth. */
static void test_flip_epsilon_is_never_too_small(void **state)
{
    uint64_t random = 7;
    (void)state;
    for (unsigned i = 0; i < EPSILONS; i++) {
        uint64_t threshold = i < 3 ? (UINT64_C(1) << 63) >> i : (next_random(&random) >> 1 >> i % 62) + 1;
        struct twice t = whole(threshold), left = times(exp_twice(flip_epsilon(threshold)), t);
        assert_that(!below(left, minus(plain(0x1p64), t)), "T = %llu: epsilon %.17g is too small",
                    (unsigned long long)threshold, flip_epsilon(threshold));
    }
    assert_true(flip_epsilon(1) > 44.36 && flip_epsilon(1) < 44.37);
    assert_true(flip_epsilon(UINT64_C(1) << 63) < 1e-14);
}

static void test_flip_thresholds_stay_in_range(void **state)
{
    (void)state;
    assert_true(flip_threshold(0) == UINT64_C(1) << 63);
    assert_true(flip_threshold(1e-300) == UINT64_C(1) << 63);
    assert_true(flip_threshold(100) >= 1 && flip_threshold(100) <= 2);
}

/* ---- erasure ---- */

static int erases_enough(uint64_t threshold, double epsilon)
{
    return !below(times(whole(threshold), exp_twice(epsilon)), plain(0x1p64));
}

static void test_erase_thresholds(void **state)
{
    (void)state;
    for (size_t i = 0; i < EPSILONS; i++) {
        double epsilon = epsilon_at(i);
        uint64_t threshold = erase_threshold(epsilon);
        double back = erase_epsilon(threshold);
        assert_that(erases_enough(threshold, epsilon), "epsilon %.17g: erases too little", epsilon);
        assert_that(back <= epsilon, "epsilon %.17g came back as %.17g", epsilon, back);
        assert_that(back >= epsilon - allowance(threshold, epsilon), "epsilon %.17g became %.17g", epsilon, back);
    }
    assert_true(erase_threshold(0) == UINT64_MAX && erase_threshold(1e-14) == UINT64_MAX);
}

static void test_erase_epsilon_is_never_too_small(void **state)
{
    uint64_t random = 8;
    (void)state;
    for (unsigned i = 0; i < EPSILONS; i++) {
        uint64_t threshold = i ? (next_random(&random) >> i % 63) + 1 : UINT64_MAX;
        assert_that(erases_enough(threshold, erase_epsilon(threshold)), "T = %llu: epsilon %.17g is too small",
                    (unsigned long long)threshold, erase_epsilon(threshold));
    }
}

static void test_rates_of_thresholds(void **state)
{
    (void)state;
    assert_true(threshold_rate(UINT64_C(1) << 63) == 0.5 && threshold_rate(UINT64_C(3) << 62) == 0.75);
    assert_true(threshold_rate(0) == 0 && threshold_rate(1) == 0x1p-64);
}

/* ---- the linear-equation filter ---- */

/* (1 - p' + p' 2^r / c) <= (1 - eta) e^eps, with 1 - p' = T / 2^64, times c / 2^r. */
static int accepts_enough(uint64_t erase, unsigned columns, uint64_t accept, double epsilon)
{
    struct twice left_out = times(whole(erase), plain(0x1p-64)), f = plain(ldexp((double)accept, -(int)columns));
    struct twice loss = add(times(left_out, f), minus(plain(1), left_out));
    struct twice eta = minus(plain(1), plain(LEF_ETA));
    return !below(times(times(eta, exp_twice(epsilon)), f), loss);
}

static void check_lef(double epsilon, unsigned columns)
{
    uint64_t erase = erase_threshold(epsilon), accept = lef_accept(epsilon, columns);
    double back = lef_epsilon(erase, columns, accept);
    assert_that(accepts_enough(erase, columns, accept, epsilon), "epsilon %.17g, %u columns: %llu are too few", epsilon,
                columns, (unsigned long long)accept);
    assert_that(back <= epsilon, "epsilon %.17g, %u columns came back as %.17g", epsilon, columns, back);
    assert_that(back >= epsilon - allowance(erase, epsilon), "epsilon %.17g became %.17g", epsilon, back);
    assert_true(accepts_enough(erase, columns, accept, back) && erases_enough(erase, back));
    if (accept > 1) /* one fewer breaks the promise, but for the guard of 10^-12 */
        assert_that(!accepts_enough(erase, columns, accept - 1, epsilon - 3e-12), "epsilon %.17g, %u columns: %llu do",
                    epsilon, columns, (unsigned long long)accept - 1);
}

static void test_lef_accepts_the_fewest(void **state)
{
    (void)state;
    for (size_t i = 0; i < EPSILONS / 10; i++)
        for (unsigned columns = 1; columns <= 24; columns++)
            check_lef(epsilon_at(i), columns);
}

/* The same where one accepted value more or fewer is decided by the last digits: at the epsilon, found by halving,
 * from which on `accept` are enough, and at its neighbours. */
static void check_lef_around(unsigned columns, uint64_t accept)
{
    double low = EPSILON_LEAST, high = EPSILON_MOST, middle = (low + high) / 2;
    if (lef_accept(low, columns) <= accept || lef_accept(high, columns) > accept)
        return;
    for (; middle > low && middle < high; middle = (low + high) / 2)
        if (lef_accept(middle, columns) <= accept)
            high = middle;
        else
            low = middle;
    for (int i = -20; i <= 20; i++)
        check_lef(middle + i * 0x1p-50 * fmax(middle, 1), columns);
}

static void test_lef_between_two_numbers(void **state)
{
    uint64_t random = 10;
    (void)state;
    for (unsigned i = 0; i < 240; i++) {
        unsigned columns = 1 + i % 24;
        check_lef_around(columns, 1 + random_below(&random, (UINT64_C(1) << columns >> (1 + i / 24)) + 1));
    }
}

/* Whatever the integers: the larger of the two losses, never below the truth. */
static void test_lef_epsilon_is_never_too_small(void **state)
{
    uint64_t random = 9;
    (void)state;
    for (unsigned i = 0; i < EPSILONS; i++) {
        unsigned columns = 1 + i % 24;
        uint64_t erase = (next_random(&random) >> i % 30) + 1;
        uint64_t accept = 1 + random_below(&random, UINT64_C(1) << columns);
        double epsilon = lef_epsilon(erase, columns, accept);
        assert_that(accepts_enough(erase, columns, accept, epsilon) && erases_enough(erase, epsilon),
                    "erase %llu, %llu of 2^%u: epsilon %.17g is too small", (unsigned long long)erase,
                    (unsigned long long)accept, columns, epsilon);
    }
}

/* The control: without room for failed builds, some designs would be above what was asked. */
static void test_eta_is_not_free(void **state)
{
    double u = exp(-1), f = 1 / (1 + exp(1));
    (void)state;
    assert_false(accepts_enough(erase_threshold(1), 24, (uint64_t)ceil(ldexp(f, 24)), 1));
    assert_true(fabs(ldexp((double)lef_accept(1, 24), -24) - (1 - u) / ((1 - LEF_ETA) / u - u)) < 1e-7);
}

/* ---- what to ask for ---- */

static void check_asked(double epsilon, unsigned bits)
{
    uint64_t flip = flip_threshold(epsilon / bits), erase = erase_threshold(epsilon);
    double flip_again = flip_asked(flip, bits), erase_again = erase_asked(erase);
    assert_that(flip_threshold(flip_again / bits) == flip, "flips of epsilon %.17g / %u: asked %.17g", epsilon, bits,
                flip_again);
    assert_that(erase_threshold(erase_again) == erase, "erasure of epsilon %.17g: asked %.17g", epsilon, erase_again);
    assert_true(flip_again >= bits * flip_epsilon(flip) && erase_again >= erase_epsilon(erase));
}

/* Every request comes back as a request that makes the same thresholds, and a plain decimal as itself. */
static void test_asked_makes_the_threshold_again(void **state)
{
    static const unsigned bits[] = {1, 2, 3, 7, 64};
    uint64_t seed = 77;
    (void)state;
    for (unsigned hundredth = 5; hundredth <= 2000; hundredth++)
        assert_true(erase_asked(erase_threshold(hundredth / 100.0)) == hundredth / 100.0 &&
                    flip_asked(flip_threshold(hundredth / 100.0), 1) == hundredth / 100.0);
    assert_true(erase_asked(erase_threshold(0.0005)) == 0.0005);
    assert_true(flip_asked(flip_threshold(0), 1) == 0);
    for (int i = 0; i < 20000; i++) {
        double epsilon =
            EPSILON_LEAST * pow(EPSILON_MOST / EPSILON_LEAST, (double)(next_random(&seed) >> 11) * 0x1p-53);
        check_asked(epsilon, bits[i % 5]);
    }
}

/* Thresholds that nobody asked for have no such request: then it is the nearest, and finite. */
static void test_asked_of_any_threshold(void **state)
{
    static const uint64_t odd[] = {1, 2, 3, 1000, UINT64_C(1) << 40, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        double erase = erase_asked(odd[i]), flip = flip_asked(odd[i], 3);
        assert_true(erase >= 0 && fabs(erase - erase_epsilon(odd[i])) < 2);
        assert_true(flip >= 0 && isfinite(flip));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_referee),
        cmocka_unit_test(test_flip_thresholds),
        cmocka_unit_test(test_flip_thresholds_of_k_bits),
        cmocka_unit_test(test_plain_doubles_flip_too_little),
        cmocka_unit_test(test_flip_epsilon_is_never_too_small),
        cmocka_unit_test(test_flip_thresholds_stay_in_range),
        cmocka_unit_test(test_erase_thresholds),
        cmocka_unit_test(test_erase_epsilon_is_never_too_small),
        cmocka_unit_test(test_rates_of_thresholds),
        cmocka_unit_test(test_asked_makes_the_threshold_again),
        cmocka_unit_test(test_asked_of_any_threshold),
        cmocka_unit_test(test_lef_accepts_the_fewest),
        cmocka_unit_test(test_lef_between_two_numbers),
        cmocka_unit_test(test_lef_epsilon_is_never_too_small),
        cmocka_unit_test(test_eta_is_not_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
