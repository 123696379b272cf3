/* SPDX-License-Identifier: MIT */
/*
 * The hybrid adversary: numbers computed apart from this code, sizes that no other split of the memory beats, and
 * edges. Measured filters: experiments/bodega_trials.c.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "check.h"
#include "hybrid.h"

static void close_to(double got, double want, double error)
{
    assert_that(fabs(got - want) <= error, "%.12g and not %.12g", got, want);
}

/* 2 MiB, 1.7 million keys, the model of Kraska et al. */
static struct hybrid kraska(double alpha)
{
    struct hybrid how = HYBRID_INIT;
    how.n = 1.7e6;
    how.bits = 0x1p24;
    how.alpha = alpha;
    return how;
}

static struct downtown plan(const struct hybrid *how)
{
    struct downtown filter;
    uf_error why = {0};
    assert_that(hybrid_plan(how, &filter, &why) == UF_OK, "%s", why.text);
    return filter;
}

/* ---- theorems ---- */

static void test_theorems(void **state)
{
    const struct downtown filter = {.model_fpr = 0.1, .model_tnr = 0.9, .fpr_a = 0.2, .fpr_b = 0.01};
    const struct downtown turned = {.model_fpr = 0.9, .model_tnr = 0.1, .fpr_a = 0.01, .fpr_b = 0.2};
    (void)state;
    close_to(hybrid_ordinary(&filter), 0.029, 1e-15);
    close_to(hybrid_fixed(&filter, 0, 0), 0.029, 1e-15);
    close_to(hybrid_fixed(&filter, 0.1, 0.3), 0.1 * 0.2 + 0.3 * 0.01 + 0.6 * 0.029, 1e-15);
    close_to(hybrid_worst(&filter, 0.4), 0.4 * 0.2 + 0.6 * 0.029, 1e-15);
    close_to(hybrid_worst(&turned, 0.4), hybrid_worst(&filter, 0.4), 1e-15);
    close_to(hybrid_worst(&filter, 1), 0.2, 1e-15);
}

/* At the cut-off both are equally good, whatever the split. */
static void test_cutoff(void **state)
{
    const struct downtown filter = {.model_fpr = 0.1, .model_tnr = 0.9, .fpr_a = 0.2, .fpr_b = 0.01};
    (void)state;
    for (double to_a = 0.2; to_a < 1; to_a += 0.2) {
        double alpha = hybrid_cutoff(&filter, 0.04, to_a);
        close_to(hybrid_fixed(&filter, alpha * to_a, alpha * (1 - to_a)), 0.04, 1e-12);
    }
    close_to(hybrid_worst(&filter, hybrid_cutoff(&filter, 0.04, -1)), 0.04, 1e-12);
    assert_true(hybrid_cutoff(&filter, 0.029, 0.5) == 0);
    assert_true(hybrid_cutoff(&filter, 0.2, -1) == 1);
    assert_true(hybrid_cutoff(&filter, 0.03, 0) == 1); /* B is the better branch */
}

/* ---- the paper, and the corrected reference ---- */

static void test_paper(void **state)
{
    struct hybrid how = kraska(0);
    how.model_bits = 0x1p23;
    how.model_fpr = 0.25 * hybrid_bloom(how.n, 0x1p23);
    how.definition = DOWNTOWN_PAPER;
    how.bits_a = 0x1p22 - 128;
    (void)state;
    struct downtown filter = plan(&how);
    close_to(hybrid_classical(&how), 0.0087253, 1e-7);
    close_to(filter.fpr_a, 0.305637, 1e-6);
    close_to(filter.fpr_b, filter.fpr_a, 1e-15);
    close_to(hybrid_ordinary(&filter), 0.305637, 1e-6);
    assert_true(hybrid_cutoff(&filter, hybrid_classical(&how), 0.5) == 0);
    close_to(filter.keys_a + filter.keys_b, 3.4e6, 1e-6);
}

static void test_reference(void **state)
{
    static const struct {
        double alpha, fpr;
    } sized[] = {{0.01, 0.0027547}, {0.05, 0.0048295}, {0.1, 0.0062708}, {0.2, 0.0079418}, {0.3, 0.0088239}};
    struct hybrid how = kraska(0);
    struct downtown filter = plan(&how);
    double classical = hybrid_classical(&how), reach = 0;
    (void)state;
    close_to(hybrid_ordinary(&filter), 0.0016921, 1e-7);
    close_to(filter.fpr_a, 0.152287, 1e-6);
    close_to(filter.fpr_b, 0.00093532, 1e-8);
    close_to(hybrid_cutoff(&filter, classical, -1), 0.046703, 1e-6);
    close_to(hybrid_cutoff(&filter, classical, 0.5), 0.093877, 1e-6);
    for (size_t i = 0; i < sizeof sized / sizeof sized[0]; i++) {
        how.alpha = sized[i].alpha;
        filter = plan(&how);
        close_to(hybrid_worst(&filter, how.alpha), sized[i].fpr, 1e-7);
        close_to(filter.bits_a + filter.bits_b, 0x1p24 - 8 * 25900 - 256, 1e-3);
    }
    assert_int_equal(UF_OK, hybrid_reach(&how, &reach, NULL));
    how.alpha = reach;
    filter = plan(&how);
    close_to(hybrid_worst(&filter, reach), classical, 1e-9);
    assert_true(reach > 0.2 && reach < 0.3);
}

/* ---- sizes ---- */

/* No other split of the same memory is better; 999 are tried in each of 480 settings. */
static void check_best(const struct hybrid *how)
{
    struct downtown best = plan(how);
    double least = hybrid_worst(&best, how->alpha), bits = how->bits - how->model_bits - 2 * how->key_bits;
    close_to(best.bits_a + best.bits_b, bits, 1e-6 * bits);
    for (int i = 1; i < 1000; i++) {
        struct hybrid other = *how;
        other.bits_a = bits * i / 1000;
        struct downtown filter = plan(&other);
        double rate = hybrid_worst(&filter, how->alpha);
        assert_that(rate >= least - 1e-12, "alpha %g, FPR %g, FNR %g: %g bits for A give %g, below %g", how->alpha,
                    how->model_fpr, how->model_fnr, other.bits_a, rate, least);
    }
}

static void test_best(void **state)
{
    static const double alphas[] = {0, 0.01, 0.1, 0.5, 1}, fprs[] = {0.001, 0.05, 0.5, 0.95};
    static const double fnrs[] = {0.01, 0.3, 0.55, 0.99}, bits[] = {2, 8, 20};
    (void)state;
    for (size_t i = 0; i < 5 * 4 * 4 * 3 * 2; i++) {
        struct hybrid how = kraska(alphas[i % 5]);
        how.model_fpr = fprs[i / 5 % 4];
        how.model_fnr = fnrs[i / 20 % 4];
        how.bits = how.n * bits[i / 80 % 3];
        how.definition = i / 240 ? DOWNTOWN_PAPER : DOWNTOWN_SPLIT;
        check_best(&how);
    }
}

static void test_edges(void **state)
{
    struct hybrid how = kraska(0);
    (void)state;
    assert_true(hybrid_bloom(0, 100) == 0 && hybrid_bloom(10, 0) == 1 && hybrid_bloom(10, -5) == 1);
    how.model_fnr = 0; /* all keys to A: B is empty and rejects */
    struct downtown filter = plan(&how);
    assert_true(filter.fpr_b == 0 && filter.bits_b == 0 && filter.fpr_a > 0 && filter.fpr_a < 0.0093);
    how.model_fnr = 1;
    filter = plan(&how);
    assert_true(filter.fpr_a == 0 && filter.bits_a == 0 && filter.fpr_b > 0);
    how.model_fnr = 0.5;
    how.model_fpr = 0; /* nobody asks A, so that it needs no bits: until there is an adversary */
    filter = plan(&how);
    assert_true(filter.fpr_a == 1 && filter.bits_a == 0 && filter.fpr_b < 1e-4);
    how.model_fpr = 1;
    filter = plan(&how);
    assert_true(filter.fpr_b == 1 && filter.bits_b == 0 && filter.fpr_a < 1e-4);
    how.alpha = 1;
    filter = plan(&how);
    close_to(filter.fpr_a, filter.fpr_b, 1e-15);
}

static void fails(const struct hybrid *how, int status, const char *word)
{
    struct downtown filter = {.fpr_a = 7};
    uf_error why = {0};
    assert_int_equal(status, hybrid_plan(how, &filter, &why));
    assert_that(strstr(why.text, word) != NULL, "\"%s\" has no \"%s\"", why.text, word);
    assert_true(filter.fpr_a == 7);
}

static void test_errors(void **state)
{
    static const struct {
        size_t field; /* a double */
        double value;
        int status;
        const char *word;
    } wrong[] = {
        {offsetof(struct hybrid, n), 0, UF_EINVAL, "0 keys"},
        {offsetof(struct hybrid, n), NAN, UF_EINVAL, "nan keys"},
        {offsetof(struct hybrid, bits), -1, UF_EINVAL, "-1 bits"},
        {offsetof(struct hybrid, bits), INFINITY, UF_EINVAL, "inf bits"},
        {offsetof(struct hybrid, bits), 207200, UF_EIMPOSSIBLE, "more memory"},
        {offsetof(struct hybrid, model_fpr), 1.5, UF_EINVAL, "FPR 1.5"},
        {offsetof(struct hybrid, model_fnr), -0.1, UF_EINVAL, "FNR -0.1"},
        {offsetof(struct hybrid, alpha), 2, UF_EINVAL, "share of 2"},
        {offsetof(struct hybrid, negatives), NAN, UF_EINVAL, "share of nan"},
        {offsetof(struct hybrid, model_bits), -8, UF_EINVAL, "-8 bits"},
        {offsetof(struct hybrid, key_bits), NAN, UF_EINVAL, "nan"},
        {offsetof(struct hybrid, bits_a), 0x1p24, UF_EIMPOSSIBLE, "more memory"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct hybrid how = kraska(0);
        memcpy((char *)&how + wrong[i].field, &wrong[i].value, sizeof wrong[i].value);
        fails(&how, wrong[i].status, wrong[i].word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_theorems),  cmocka_unit_test(test_cutoff), cmocka_unit_test(test_paper),
        cmocka_unit_test(test_reference), cmocka_unit_test(test_best),   cmocka_unit_test(test_edges),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
