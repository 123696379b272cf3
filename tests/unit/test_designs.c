/* SPDX-License-Identifier: MIT */
/*
 * uf_designs: every mechanism is there, in order, with a spec that says the same as the numbers; questions that make no
 * sense are refused and leave the answer alone.
 */
#include <math.h>
#include <stdio.h>

#include "check.h"

struct answer {
    uf_design design[UF_MOST_DESIGNS];
    size_t count;
    uf_limit limit;
};

static struct answer ask(double epsilon, uint64_t n, double bits_per_key, uint64_t universe)
{
    static struct answer answer;
    uf_error why;
    assert_status(UF_OK,
                  uf_designs(epsilon, n, bits_per_key, universe, answer.design, sizeof answer.design[0],
                             UF_MOST_DESIGNS, &answer.count, &why),
                  &why);
    assert_status(UF_OK, uf_get_limit(epsilon, &answer.limit, sizeof answer.limit), NULL);
    return answer;
}

static const double epsilons[] = {0.05, 0.5, 1, 3, 8, 13.7, 20};

enum { EPSILONS = sizeof epsilons / sizeof epsilons[0] };

static double errors(const uf_design *design)
{
    return design->fpr + design->fnr;
}

static int is_private(const uf_design *design)
{
    return !isnan(design->epsilon);
}

/* ---- the list ---- */

static unsigned count_of(const struct answer *answer, const char *mechanism)
{
    unsigned count = 0;
    for (size_t i = 0; i < answer->count; i++)
        count += !strcmp(answer->design[i].mechanism, mechanism);
    return count;
}

static void test_every_mechanism(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * EPSILONS; i++) {
        unsigned universes = i < EPSILONS ? 3 : 1;
        struct answer answer = ask(epsilons[i % EPSILONS], 1000, i % 2 ? 16 : 0, i < EPSILONS ? 0 : 5000);
        unsigned dpsets = count_of(&answer, "dpset"); /* three variants, and what preferences pick besides */
        assert_true(dpsets >= 3 && dpsets <= 6);
        assert_int_equal(count_of(&answer, "ultra"), 1);
        assert_int_equal(count_of(&answer, "dime"), universes);
        assert_int_equal(count_of(&answer, "nickel"), universes);
        assert_int_equal(count_of(&answer, "published"), 1);
        assert_int_equal(answer.count, dpsets + 2 + 2 * universes);
    }
}

static void check_order(const struct answer *answer)
{
    assert_true(is_private(&answer->design[0]));
    for (size_t i = 1; i < answer->count; i++) {
        const uf_design *a = &answer->design[i - 1], *b = &answer->design[i];
        assert_true(is_private(a) >= is_private(b));
        if (is_private(a) == is_private(b) && (!is_private(a) || !a->universe == !b->universe))
            assert_true(errors(a) <= errors(b));
        if (is_private(a) && is_private(b))
            assert_true(!a->universe >= !b->universe); /* first what needs no list of all keys */
    }
}

static void test_best_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < EPSILONS; i++) {
        struct answer answer = ask(epsilons[i], 1000000, i % 2 ? 8 : 0, 0);
        check_order(&answer);
        for (size_t j = 0; j < answer.count && is_private(&answer.design[j]); j++)
            assert_true(answer.design[j].epsilon == epsilons[i] &&
                        errors(&answer.design[j]) >= answer.limit.sum * (1 - 1e-9));
        assert_true(errors(&answer.design[0]) < answer.limit.sum * 1.01 || epsilons[i] > 6);
    }
}

static void test_what_is_not_private_says_so(void **state)
{
    struct answer answer = ask(1, 1000, 0, 0);
    (void)state;
    for (size_t i = 0; i < answer.count; i++) {
        const uf_design *design = &answer.design[i];
        int without = !strcmp(design->mechanism, "nickel") || !strcmp(design->mechanism, "published");
        assert_int_equal(is_private(design), !without);
        assert_true(is_private(design) || strstr(design->note, "differential privacy"));
    }
}

/* ---- specs ---- */

/* The value of a parameter of a spec; the kinds need not exist. */
static double number(const uf_spec *spec, const char *name)
{
    char label[32];
    (void)snprintf(label, sizeof label, "%s=", name);
    const char *at = strstr(spec->text, label);
    assert_that(at && (at[-1] == ':' || at[-1] == ','), "%s has no %s", spec->text, name);
    return strtod(at + strlen(label), NULL);
}

/* "radix=21" or "radix=9x12" */
static double radices(const uf_spec *spec)
{
    const char *at = strchr(strstr(spec->text, "radix=") + strlen("radix="), 'x');
    double first = number(spec, "radix");
    return at && at[-1] >= '0' && at[-1] <= '9' ? first * strtod(at + 1, NULL) : first;
}

static void check_dpset(const uf_design *design, double epsilon)
{
    int mixed = !strcmp(design->variant, "radix");
    double accept = number(&design->spec, "accept"), values = mixed ? radices(&design->spec) : 0;
    char variant[32];
    (void)snprintf(variant, sizeof variant, ",variant=%s,", design->variant);
    assert_non_null(strstr(design->spec.text, variant));
    assert_true(number(&design->spec, "epsilon") == epsilon && number(&design->spec, "slack") <= 0.12);
    if (!mixed)
        values = exp2(number(&design->spec, "columns"));
    assert_true(fabs(design->fpr - accept / values) < 1e-15);
    assert_true(design->build_ns > 50 && design->query_ns > 20);
    assert_true(fabs(design->fnr - exp(-epsilon) * (1 - design->fpr)) < 1e-12);
    assert_true(design->k == 0 && design->t == 0 && design->universe == 0);
}

static void check_ultra(const uf_design *design, double epsilon, const char *how)
{
    assert_non_null(strstr(design->spec.text, how));
    assert_true(number(&design->spec, "epsilon") == epsilon);
    assert_true(number(&design->spec, "k") == design->k && number(&design->spec, "t") == design->t);
    assert_true(fabs(number(&design->spec, "bits") - design->bits_per_key * 1000) < 1e-6);
    assert_true(design->t >= 1 && design->t <= design->k);
}

/* The child of dime and nickel is a filter that the planner knows, and its rate is in theirs. */
static void check_child(const uf_design *design, double q)
{
    uf_spec plan;
    uf_error why;
    double rate = 0;
    assert_status(UF_OK, uf_plan(&design->spec, &plan, &why), &why);
    assert_true(number(&plan, "k") == design->k && number(&plan, "bits") == number(&design->spec, "bits"));
    assert_true(uf_spec_get(&plan, "fpr", &rate) == UF_OK || design->fpr > .999); /* a hopeless one has none */
    assert_that(design->fpr > .999 || fabs(design->fpr - (q + (1 - q) * rate)) < 1e-5 * design->fpr, "%s: %g",
                plan.text, design->fpr);
    assert_true(design->universe > 0 && design->t == 0);
}

static void check_spec(const uf_design *design, double epsilon)
{
    if (!strcmp(design->mechanism, "dpset"))
        check_dpset(design, epsilon);
    else if (!strcmp(design->mechanism, "ultra"))
        check_ultra(design, epsilon, "ultra:n=1000,epsilon");
    else if (!strcmp(design->mechanism, "published"))
        check_ultra(design, epsilon, "mechanism=published");
    else
        check_child(design, strcmp(design->mechanism, "dime") ? exp(-epsilon) : 1 / (1 + exp(epsilon)));
}

static void test_specs(void **state)
{
    (void)state;
    for (size_t i = 0; i < EPSILONS; i++) {
        struct answer answer = ask(epsilons[i], 1000, 64, i % 2 ? 0 : 123456);
        for (size_t j = 0; j < answer.count; j++) {
            const uf_design *design = &answer.design[j];
            check_spec(design, epsilons[i]);
            assert_true(design->bits_per_key <= 64);
            double f1 = 2 * (1 - design->fnr) / (2 - design->fnr + design->fpr);
            assert_true(fabs(design->f1 - f1) < 1e-12);
        }
    }
}

/* ---- sizes ---- */

static const uf_design *find(const struct answer *answer, const char *mechanism)
{
    for (size_t i = 0; i < answer->count; i++)
        if (!strcmp(answer->design[i].mechanism, mechanism))
            return &answer->design[i];
    return NULL;
}

static const uf_design *variant(const struct answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->count; i++)
        if (answer->design[i].variant && !strcmp(answer->design[i].variant, name))
            return &answer->design[i];
    return NULL;
}

/* Each preference picks one design, within its bound on errors; small is no larger than the default, fast no slower. */
static void test_preferences(void **state)
{
    (void)state;
    for (double epsilon = 0.1; epsilon < 11; epsilon *= 1.4) {
        struct answer answer = ask(epsilon, 1000000, 0, 0);
        const uf_design *pick[4] = {NULL};
        for (size_t i = 0; i < answer.count; i++)
            for (unsigned j = 0; j < 4; j++)
                if (answer.design[i].prefers >> j & 1) {
                    assert_null(pick[j]);
                    pick[j] = &answer.design[i];
                }
        for (unsigned j = 0; j < 4; j++) {
            assert_non_null(pick[j]);
            assert_that(errors(pick[j]) <= (j == 3 ? 1.005 : 1.02) * answer.limit.sum, "epsilon %g, %s: %g of %g",
                        epsilon, pick[j]->spec.text, errors(pick[j]), answer.limit.sum);
        }
        assert_true(pick[1]->bits_per_key <= pick[0]->bits_per_key && pick[2]->build_ns <= pick[0]->build_ns);
        assert_true(pick[0]->bits_per_key < 1.6 * answer.limit.ideal_bits);
        assert_true(answer.limit.least_bits < answer.limit.ideal_bits);
    }
}

static void test_free_size(void **state)
{
    struct answer answer = ask(3, 1000, 0, 0);
    (void)state;
    assert_true(find(&answer, "ultra")->bits_per_key == 16);
    assert_true(variant(&answer, "dyadic")->bits_per_key == 7.36); /* 5.77 for many keys: small filters take more */
    assert_true(variant(&answer, "radix")->bits_per_key < 5.3);
    answer = ask(3, 65536, 0, 0);
    assert_true(variant(&answer, "dyadic")->bits_per_key < 6 && variant(&answer, "radix")->bits_per_key < 4.7);
}

/* Half a bit per key: an array still does something, dpset does not and says what it needs. */
static void test_what_does_not_fit_comes_last(void **state)
{
    struct answer answer = ask(3, 1000, 0.5, 0);
    uf_design *last = &answer.design[answer.count - 1];
    (void)state;
    assert_int_equal(answer.design[0].status, UF_OK);
    assert_int_equal(last->status, UF_EIMPOSSIBLE);
    assert_string_equal(last->mechanism, "dpset");
    assert_non_null(strstr(last->why.text, "bits_per_key=0.5"));
    double least = strtod(strstr(last->why.text, "the smallest has ") + strlen("the smallest has "), NULL);
    assert_true(least > 1.07 && least < 1.5); /* 1.12 (1 - e^-3) for many keys */
    assert_int_equal(ask(3, 1000, least, 0).design[answer.count - 1].status, UF_OK);
}

static void test_empty_set(void **state)
{
    struct answer answer = ask(3, 0, 0, 0), with_universe = ask(3, 0, 8, 100);
    (void)state;
    assert_int_equal(answer.count, count_of(&answer, "dpset") + 2);
    assert_int_equal(with_universe.count, count_of(&with_universe, "dpset") + 4);
    for (size_t i = 0; i < with_universe.count; i++)
        assert_int_equal(with_universe.design[i].status, UF_OK);
    assert_true(isnan(find(&answer, "ultra")->bits_per_key));
}

static void test_largest(void **state)
{
    (void)state;
    assert_true(ask(3, UINT64_C(1) << 40, 64, UINT64_MAX).count >= 7);
    assert_true(ask(20, UINT64_C(1) << 40, 0, 0).count >= 11);
    assert_int_equal(ask(0.05, 1, 1e-3, 1).design[0].status, UF_EIMPOSSIBLE);
}

/* ---- capacity and refusals ---- */

static void test_capacity(void **state)
{
    struct answer all = ask(2, 1000, 8, 0), some;
    uf_error why;
    (void)state;
    memset(&some, 0x55, sizeof some);
    assert_status(UF_OK, uf_designs(2, 1000, 8, 0, some.design, sizeof some.design[0], 2, &some.count, &why), &why);
    assert_int_equal(some.count, all.count);
    assert_string_equal(some.design[1].spec.text, all.design[1].spec.text);
    assert_int_equal(some.design[2].spec.text[0], 0x55);
    assert_status(UF_OK, uf_designs(2, 1000, 8, 0, NULL, 0, 0, &some.count, NULL), NULL);
    assert_refused(UF_EINVAL, uf_designs(2, 1000, 8, 0, NULL, sizeof(uf_design), 1, &some.count, &why), &why);
    assert_refused(UF_EINVAL, uf_designs(2, 1000, 8, 0, some.design, sizeof(uf_design), 1, NULL, &why), &why);
    assert_refused(UF_EINVAL, uf_designs(2, 1000, 8, 0, some.design, 0, 1, &some.count, &why), &why);
    assert_status(UF_EINVAL, uf_get_limit(1, &some.limit, 0), NULL);
    assert_status(UF_EINVAL, uf_get_limit(0, &some.limit, sizeof some.limit), NULL);
}

static void check_refusal(double epsilon, uint64_t n, double bits_per_key, uint64_t universe, const char *words)
{
    struct answer answer, before;
    uf_error why;
    memset(&answer, 0x55, sizeof answer);
    memcpy(&before, &answer, sizeof before);
    assert_refused(UF_EINVAL,
                   uf_designs(epsilon, n, bits_per_key, universe, answer.design, sizeof answer.design[0],
                              UF_MOST_DESIGNS, &answer.count, &why),
                   &why);
    assert_that(strstr(why.text, words), "'%s' lacks '%s'", why.text, words);
    assert_memory_equal(&answer, &before, sizeof before);
}

static void test_refusals(void **state)
{
    (void)state;
    check_refusal(NAN, 10, 8, 0, "epsilon=nan is not possible");
    check_refusal(INFINITY, 10, 8, 0, "epsilon=inf is not possible: it is a number from 0.05 to 20");
    check_refusal(-INFINITY, 10, 8, 0, "epsilon=-inf");
    check_refusal(-1, 10, 8, 0, "epsilon=-1");
    check_refusal(0, 10, 8, 0, "epsilon=0 ");
    check_refusal(1e-9, 10, 8, 0, "epsilon=1e-09");
    check_refusal(0.0499, 10, 8, 0, "epsilon=0.0499");
    check_refusal(20.000001, 10, 8, 0, "epsilon=20.000001");
    check_refusal(1000, 10, 8, 0, "epsilon=1000");
    check_refusal(3, 10, NAN, 0, "bits_per_key=nan");
    check_refusal(3, 10, -1, 0, "bits_per_key=-1");
    check_refusal(3, 10, INFINITY, 0, "bits_per_key=inf");
    check_refusal(3, 0, 1e300, 0, "bits_per_key=1e+300");
    check_refusal(3, UINT64_C(1) << 40, 65, 0, "bits_per_key=65");
    check_refusal(3, (UINT64_C(1) << 40) + 1, 8, 0, "n=1099511627777");
    check_refusal(3, UINT64_MAX, 0, 0, "n=18446744073709551615");
    check_refusal(3, 10, 8, 9, "a universe of 9 keys cannot hold a set of n=10");
}

/* What is planned is what is made, also where n is small; and with a limit it fits. */
static void test_bits_are_those_of_the_filter(void **state)
{
    static const uint64_t sizes[] = {1, 100, 1000, 70000};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t n = sizes[i / 2];
        double most = i % 2 ? 9 : 0;
        struct answer answer = ask(3, n, most, 0);
        for (size_t j = 0; j < answer.count; j++) {
            const uf_design *design = &answer.design[j];
            uf_filter *filter;
            uf_info info;
            if (strcmp(design->mechanism, "dpset") != 0 || design->status != UF_OK)
                continue;
            assert_status(UF_OK, uf_build(&design->spec, NULL, 0, NULL, &filter, NULL), NULL);
            uf_get_info(filter, &info, sizeof info);
            assert_true(design->bits_per_key == (double)info.bits / (double)n);
            assert_that(!(most > 0) || design->bits_per_key <= most, "%s: %g bits", design->spec.text,
                        design->bits_per_key);
            uf_free(filter);
        }
    }
}

/* The filter to keep has the shape of its copies. */
static void test_keep(void **state)
{
    struct answer answer = ask(3, 1000, 16, 0);
    unsigned kept = 0;
    (void)state;
    for (size_t i = 0; i < answer.count; i++) {
        const uf_design *design = &answer.design[i];
        if (strcmp(design->mechanism, "ultra") != 0) {
            assert_string_equal(design->keep.text, "");
            continue;
        }
        assert_string_equal(design->keep.text, "bloom:n=1000,bits=16000,k=1");
        kept++;
    }
    assert_int_equal(kept, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_mechanism),
        cmocka_unit_test(test_best_first),
        cmocka_unit_test(test_what_is_not_private_says_so),
        cmocka_unit_test(test_specs),
        cmocka_unit_test(test_preferences),
        cmocka_unit_test(test_free_size),
        cmocka_unit_test(test_what_does_not_fit_comes_last),
        cmocka_unit_test(test_empty_set),
        cmocka_unit_test(test_largest),
        cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_bits_are_those_of_the_filter),
        cmocka_unit_test(test_keep),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
