/* SPDX-License-Identifier: MIT */
/*
 * The planner, through uf_plan: any two of n, bits and fpr give the third, a plan is its own plan, impossible requests
 * say what would be possible and that is possible, and no number however odd gets through or takes long.
 */
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static const char *const planned[] = {"bloom", "blocked", "ribbon", "counting", "deletable", "tombstone"};

enum { PLANNED = sizeof planned / sizeof planned[0] };

static double number(const uf_spec *spec, const char *name)
{
    double value = NAN;
    assert_that(uf_spec_get(spec, name, &value) == UF_OK, "%s has no %s", spec->text, name);
    return value;
}

/* The plan of a printf-style request, which must succeed. */
__attribute__((format(printf, 1, 2))) static uf_spec plan_of(const char *format, ...)
{
    char text[512];
    uf_error why;
    uf_spec spec;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    spec = spec_of(text);
    int status = uf_plan(&spec, &spec, &why);
    assert_that(status == UF_OK, "%s: %s", text, why.text);
    return spec;
}

/* A request that must be refused with this status; the sentence is returned. */
static const char *refusal(const char *text, int status)
{
    static uf_error why;
    uf_spec want = spec_unchecked(text), plan = {"untouched"};
    int got = uf_plan(&want, &plan, &why);
    assert_that(got == status && why.status == status && why.text[0] && !strpbrk(why.text, "\n"), "%s gave %d: %s %s",
                text, got, why.text, plan.text);
    assert_string_equal(plan.text, "untouched");
    return why.text;
}

/* ---- any two give the third ---- */

static const double counts[] = {1, 2, 10, 1000, 123456, 1e6, 1e8};
static const double rates[] = {0.5, 0.1, 0.01, 0.001, 0.00123456789, 1e-6};

static void check_any_two(const char *kind, double n, double fpr)
{
    uf_spec by_rate = plan_of("%s:n=%.0f,fpr=%.17g", kind, n, fpr);
    double bits = number(&by_rate, "bits");
    assert_true(number(&by_rate, "n") == n);
    assert_true(number(&by_rate, "fpr") <= fpr * 1.00001 && bits > 0);
    uf_spec by_size = plan_of("%s:n=%.0f,bits=%.0f", kind, n, bits);
    assert_that(number(&by_size, "fpr") <= number(&by_rate, "fpr") * 1.00001, "%s\n    against %s", by_size.text,
                by_rate.text);
    uf_spec by_both = plan_of("%s:bits=%.0f,fpr=%.17g", kind, bits, fpr);
    assert_that(number(&by_both, "n") >= n && number(&by_both, "bits") <= bits, "%s\n    against %s", by_both.text,
                by_rate.text);
}

static void test_any_two_give_the_third(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < PLANNED; kind++)
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            for (size_t j = 0; j < sizeof rates / sizeof rates[0]; j++)
                check_any_two(planned[kind], counts[i], rates[j]);
}

static void test_bits_per_key_is_bits(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < PLANNED; kind++) {
        uf_spec relative = plan_of("%s:n=1e5,bits_per_key=12.5", planned[kind]);
        uf_spec absolute = plan_of("%s:n=1e5,bits=1250000", planned[kind]);
        assert_true(number(&relative, "bits") == number(&absolute, "bits"));
        assert_true(number(&relative, "fpr") == number(&absolute, "fpr"));
        double value;
        assert_int_equal(uf_spec_get(&relative, "bits_per_key", &value), UF_EINVAL);
    }
}

static void test_default_is_one_in_a_thousand(void **state)
{
    (void)state;
    for (size_t i = 0; uf_kind_name(i); i++) {
        if (kind_is_private(uf_kind_name(i)))
            continue; /* its rates follow from epsilon */
        uf_spec plan = plan_of("%s:n=1e6", uf_kind_name(i));
        assert_that(number(&plan, "fpr") <= 0.001 && number(&plan, "fpr") > 0.0009, "%s", plan.text);
        assert_true(number(&plan, "n") == 1e6);
    }
    for (size_t kind = 0; kind < PLANNED; kind++) {
        uf_spec plan = plan_of("%s:bits=1e7", planned[kind]);
        assert_that(number(&plan, "fpr") <= 0.001 && number(&plan, "n") > 1.7e5, "%s", plan.text);
    }
}

/* The formulas of seed 003 at n = 10^6, fpr = 0.01: 9.585 bits per key and k = 7 for the classic filter. */
static void test_known_sizes(void **state)
{
    uf_spec plan = plan_of("bloom:n=1e6,fpr=0.01");
    (void)state;
    assert_true(fabs(number(&plan, "bits") / 9585059 - 1) < 0.002);
    assert_true(number(&plan, "k") == 7);
    plan = plan_of("blocked:n=1e6,fpr=0.01");
    assert_that(number(&plan, "bits") > 9.9e6 && number(&plan, "bits") < 10.5e6, "%s", plan.text);
    plan = plan_of("ribbon:n=1e6,fpr=0.01");
    assert_that(number(&plan, "bits") > 6.64e6 && number(&plan, "bits") < 1.08 * 6.65e6, "%s", plan.text);
}

/* Kinds that remove, in terms of bloom: counters take four times its bits; flags one for `region` of them; tombstones
 * what a filter of the removed keys takes. */
static void test_sizes_of_kinds_that_remove(void **state)
{
    uf_spec bloom = plan_of("bloom:n=1e6,fpr=0.01"), fewer = plan_of("bloom:n=1e5,fpr=1e-4");
    uf_spec counting = plan_of("counting:n=1e6,fpr=0.01"), deletable = plan_of("deletable:n=1e6,fpr=0.01");
    uf_spec tombstone = plan_of("tombstone:n=1e6,fpr=0.01"),
            few = plan_of("tombstone:n=1e6,fpr=0.01,removed=1e5,fnr=1e-4");
    double bits = number(&bloom, "bits");
    (void)state;
    assert_true(number(&counting, "bits") == 4 * bits && number(&counting, "k") == number(&bloom, "k"));
    assert_true(number(&deletable, "region") == 3); /* 94 % of keys stay removable; with 4 it would be 89.9 % */
    assert_true(fabs(number(&deletable, "bits") / bits - 4.0 / 3) < 1e-4);
    assert_true(number(&tombstone, "bits") == 2 * bits && number(&tombstone, "removed") == 1e6);
    assert_true(number(&tombstone, "fnr") == number(&tombstone, "fpr"));
    assert_true(number(&few, "bits") == bits + number(&fewer, "bits"));
    uf_spec each = plan_of("deletable:n=1e6,fpr=0.01,region=1");
    assert_true(number(&each, "bits") == 2 * bits);
}

/* ---- a plan is its own plan ---- */

static void check_fixed_point(const char *request)
{
    uf_spec once = plan_of("%s", request), twice;
    uf_error why;
    int status = uf_plan(&once, &twice, &why);
    assert_that(status == UF_OK, "%s has the plan %s, which is refused: %s", request, once.text, why.text);
    assert_that(!strcmp(once.text, twice.text), "%s has the plan %s, but that has the plan %s", request, once.text,
                twice.text);
}

static void test_plan_of_a_plan_is_itself(void **state)
{
    static const char *const requestes[] = {
        "bloom:n=1",
        "bloom:n=1000,fpr=0.00123456789",
        "bloom:n=1e6,bits=1e7",
        "bloom:bits=12345,fpr=0.02",
        "bloom:n=1e6,k=3",
        "bloom:n=100,bits=100",
        "bloom:n=1e9,fpr=1e-9",
        "bloom:bits_per_key=10,n=77",
        "blocked:n=1",
        "blocked:n=1e6,fpr=0.01",
        "blocked:n=1e6,k=16",
        "blocked:n=9e5,bits=1e7",
        "blocked:bits=99999",
        "blocked:n=1e7,bits_per_key=3",
        "dcso:n=1",
        "dcso:n=1e6,fpr=0.0123456789",
        "ribbon:n=0",
        "ribbon:n=1",
        "ribbon:n=1e6,fpr=0.01",
        "ribbon:n=1e5,band=128,slack=0.02",
        "ribbon:bits=1e6",
        "ribbon:n=1000,bits=1",
        "ribbon:n=1000,fpr=0.99",
        "bloom:n=5,seed=0xabc",
        "bloom:n=100,bits=6",
        "counting:n=1",
        "counting:n=1000,bits=12345",
        "counting:bits=1e6,fpr=0.02",
        "deletable:n=1",
        "deletable:n=1e6,fpr=0.01",
        "deletable:n=1e6,fpr=0.01,region=1",
        "deletable:n=1000,bits_per_key=7,region=64",
        "deletable:bits=1e5,fpr=1e-5",
        "tombstone:n=1",
        "tombstone:n=1e6,fpr=0.01",
        "tombstone:n=1e6,fpr=0.01,removed=5,fnr=0.3",
        "tombstone:n=1e6,removed=1e5,bits=1e7",
        "tombstone:n=1e6,removed_bits=1e5",
        "tombstone:n=1e6,removed_k=3",
        "tombstone:bits=1e6,removed=1000,k=4",
        "tombstone:bits=1e6",
        "tombstone:n=100,removed=0,bits=2000",
        "tombstone:n=100,bits=1000,removed_bits=995",
    };
    (void)state;
    for (size_t i = 0; i < sizeof requestes / sizeof requestes[0]; i++)
        check_fixed_point(requestes[i]);
}

/* The ribbon's rate is rounded to six digits in a plan; reading it again must not change the size. */
static void test_plan_of_a_ribbon_plan_with_a_long_rate(void **state)
{
    (void)state;
    check_fixed_point("ribbon:n=1e6,fpr=0.00123456789");
    check_fixed_point("ribbon:n=1e6,bits=1e7");
    check_fixed_point("ribbon:n=12345,bits_per_key=9.9");
}

/* n = 0 is legal, and so is a plan for it. */
static void test_plan_of_an_empty_plan(void **state)
{
    (void)state;
    check_fixed_point("ribbon:n=0,fpr=0.3");
    check_fixed_point("bloom:n=0");
    check_fixed_point("blocked:n=0");
    check_fixed_point("counting:n=0");
    check_fixed_point("deletable:n=0");
    check_fixed_point("tombstone:n=0");
    check_fixed_point("tombstone:n=0,bits=100");
}

static void test_no_keys_at_so_many_bits_per_key(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < PLANNED; kind++) {
        uf_spec plan = plan_of("%s:n=0,bits_per_key=10", planned[kind]);
        assert_true(number(&plan, "n") == 0);
    }
}

/* A filter that is far too small has a rate that rounds to 1, one that is far too large a rate that rounds to 0. */
static void test_plan_of_a_plan_at_the_ends(void **state)
{
    (void)state;
    check_fixed_point("bloom:n=1,bits=1");
    check_fixed_point("bloom:n=1e6,bits=64");
    check_fixed_point("blocked:n=1e6,bits=512");
    check_fixed_point("bloom:n=1,bits=1e9,k=64");
    check_fixed_point("bloom:n=1,fpr=1e-320");
}

/* (1/5)^8 is 2.56e-6, and the sum that it comes from has one bit more. */
static void test_plan_of_a_plan_with_a_round_rate(void **state)
{
    (void)state;
    check_fixed_point("deletable:n=1,region=5");
    for (unsigned bits = 8; bits <= 512; bits += 8)
        for (unsigned k = 1; k <= 8; k++)
            check_fixed_point(plan_of("bloom:n=1,bits=%u,k=%u", bits, k).text);
}

/* ---- impossible requests ---- */

static void check_offer(const char *kind, const char *request)
{
    const char *text = refusal(request, UF_EIMPOSSIBLE);
    unsigned long long n, bits, needed, fewer;
    double fpr, best, same;
    int fields =
        sscanf(text, "n=%llu at fpr=%lf needs %llu bits; with bits=%llu the best is fpr=%lf, or n=%llu at fpr=%lf", &n,
               &fpr, &needed, &bits, &best, &fewer, &same);
    assert_that(fields == 7, "%s", text);
    uf_spec larger = plan_of("%s:n=%llu,fpr=%.17g,bits=%llu", kind, n, fpr, needed);
    uf_spec less = plan_of("%s:n=%llu,fpr=%.17g,bits=%llu", kind, fewer, fpr, bits);
    assert_true(number(&larger, "n") == (double)n && number(&less, "n") == (double)fewer);
    assert_true(fewer < n && needed > bits && best > fpr && same == fpr);
    uf_spec worse = plan_of("%s:n=%llu,fpr=%.17g,bits=%llu", kind, n, best, bits);
    assert_true(number(&worse, "fpr") <= best * 1.0001);
}

/* What the sentence offers must work when it is taken word for word. */
static void test_offers_are_possible(void **state)
{
    (void)state;
    check_offer("bloom", "bloom:n=1000,bits=1000,fpr=0.001");
    check_offer("bloom", "bloom:n=77777,bits=500000,fpr=0.01");
    check_offer("blocked", "blocked:n=1000,bits=5120,fpr=0.001");
    check_offer("counting", "counting:n=1000,bits=1000,fpr=0.001");
    check_offer("deletable", "deletable:n=1000,bits=1000,fpr=0.001");
    check_offer("ribbon", "ribbon:n=1000,bits=1000,fpr=0.001");
    check_offer("ribbon", "ribbon:n=1e6,bits=5e6,fpr=0.001");
}

static void test_impossible_requestes_name_the_values(void **state)
{
    static const struct {
        const char *request, *named[2];
    } cases[] = {
        {"counting:n=1000,bits=3", {"bits=3", "4"}},
        {"deletable:n=1000,bits=1", {"bits=1", "2"}},
        {"tombstone:n=1000,bits=1", {"bits=1", "2"}},
        {"tombstone:n=1e6,bits=1e7,fpr=0.01", {"bits=10000000", "removed keys take 9592961"}},
        {"tombstone:n=1e6,bits=1e7,removed_bits=2e7", {"removed keys take 199999", "bits=10000000"}},
        {"tombstone:n=4e12,fpr=0.01", {"2^46", "bits"}},
        {"tombstone:n=1,removed=1e15", {"removed keys", "2^46"}},
        {"bloom:n=1e15", {"n=1000000000000000", "fpr=0.001"}},
        {"bloom:bits=1e15", {"bits=1000000000000000", "2^46"}},
        {"blocked:n=10,bits=511", {"bits=511", "512"}},
        {"blocked:bits=511", {"bits=511", "512"}},
        {"bloom:n=10,bits=2,k=3", {"bits=2", "3"}},
        {"bloom:bits=1,fpr=0.01", {"bits=1", "fpr=0.01"}},
        {"bloom:bits=1e6,k=1,fpr=1e-9", {"bits=1000000", "fpr=1e-09"}},
        {"ribbon:n=1,fpr=1e-30", {"fpr=1e-30", "8.67e-19"}},
        {"ribbon:n=1e15", {"n=1000000000000000", "2^46"}},
        {"ribbon:bits=10", {"bits=10", "1277"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = refusal(cases[i].request, UF_EIMPOSSIBLE);
        for (size_t j = 0; j < 2; j++)
            assert_that(strstr(text, cases[i].named[j]) != NULL, "%s: '%s' does not say %s", cases[i].request, text,
                        cases[i].named[j]);
    }
}

/* A plan that says yes must be one that the shape can have. */
static void test_dcso_is_planned_as_a_whole(void **state)
{
    (void)state;
    refusal("dcso:n=1e15", UF_EIMPOSSIBLE);
    refusal("dcso:n=1,fpr=1e-320", UF_EIMPOSSIBLE);
}

/* ---- numbers that are none ---- */

static void test_senseless_requestes(void **state)
{
    static const char *const requestes[] = {
        "bloom",
        "bloom:fpr=0.01",
        "bloom:n=-1",
        "bloom:n=1.5",
        "bloom:n=nan",
        "bloom:n=inf",
        "bloom:n=1e300",
        "bloom:n=1,fpr=0",
        "bloom:n=1,fpr=1",
        "bloom:n=1,fpr=-0.1",
        "bloom:n=1,fpr=2",
        "bloom:n=1,fpr=nan",
        "bloom:n=1,fpr=inf",
        "bloom:n=1,fpr=1e-400",
        "bloom:n=1,k=0",
        "bloom:n=1,k=65",
        "bloom:n=1,k=-1",
        "bloom:n=1,k=1e18",
        "bloom:n=1,k=1.5",
        "bloom:n=1,bits=-5",
        "bloom:n=1,bits=x",
        "bloom:n=1,bits=8,bits_per_key=8",
        "bloom:bits_per_key=8",
        "bloom:n=1,bits_per_key=-1",
        "bloom:n=1,bits_per_key=nan",
        "bloom:n=1e15,bits_per_key=1e15",
        "counting:n=1,k=65",
        "deletable:n=1,region=0",
        "deletable:n=1,region=65",
        "deletable:n=1,region=x",
        "tombstone",
        "tombstone:removed=5",
        "tombstone:bits=1000,fnr=0.1",
        "tombstone:n=1,fnr=0",
        "tombstone:n=1,fnr=1",
        "tombstone:n=1,fnr=nan",
        "tombstone:n=1,removed=-1",
        "tombstone:n=1,removed_k=65",
        "tombstone:n=1,removed_bits=x",
        "tombstone:bits_per_key=8",
        "blocked:n=1,k=0",
        "blocked:n=1,k=7",
        "blocked:n=1,k=17",
        "ribbon:n=1,band=0",
        "ribbon:n=1,band=63",
        "ribbon:n=1,band=256",
        "ribbon:n=1,slack=0",
        "ribbon:n=1,slack=-1",
        "ribbon:n=1,slack=5",
        "ribbon:n=1,slack=nan",
        "ribbon:fpr=0.1",
        "ribbon:n=1,fpr=1",
        "dcso",
        "dcso:n=1,fpr=0",
        "dcso:n=1,fpr=1",
    };
    (void)state;
    for (size_t i = 0; i < sizeof requestes / sizeof requestes[0]; i++)
        refusal(requestes[i], UF_EINVAL);
}

static void test_smallest_and_largest(void **state)
{
    (void)state;
    uf_spec plan = plan_of("bloom:bits=70368744177664"); /* 2^46 */
    assert_true(number(&plan, "bits") > 7.03e13 && number(&plan, "n") > 4e12);
    plan = plan_of("blocked:bits=70368744177664");
    assert_true(number(&plan, "bits") == 0x1p46);
    plan = plan_of("ribbon:bits=70368744177664");
    assert_true(number(&plan, "bits") <= 0x1p46);
    plan = plan_of("bloom:n=1,k=64");
    assert_true(number(&plan, "k") == 64);
    plan = plan_of("bloom:n=1,k=1");
    assert_true(number(&plan, "k") == 1);
    plan = plan_of("ribbon:n=1,fpr=0.999999");
    assert_true(number(&plan, "fpr") <= 0.999999);
    refusal("bloom:bits=70368744177665", UF_EIMPOSSIBLE);
}

/* Run in a child with an alarm, since the failure to be caught is one of never coming back. */
static int ends_within(const char *text, unsigned seconds)
{
    int result;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        uf_spec spec;
        alarm(seconds);
        (void)uf_spec_parse(text, &spec, NULL);
        (void)uf_plan(&spec, &spec, NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result);
}

static void test_planning_never_takes_long(void **state)
{
    static const char *const requestes[] = {
        "bloom:n=9e15",
        "ribbon:n=9e15",
        "dcso:n=9e15",
        "blocked:n=1e12",
        "blocked:n=9e15",
        "blocked:n=9e15,bits=1e6",
        "blocked:n=9e15,fpr=0.5",
        "blocked:bits=7e13,fpr=0.999999",
    };
    size_t late = 0;
    (void)state;
    for (size_t i = 0; i < sizeof requestes / sizeof requestes[0]; i++)
        if (!ends_within(requestes[i], 3)) {
            print_error("%s takes more than 3 s to plan\n", requestes[i]);
            late++;
        }
    assert_int_equal(late, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_two_give_the_third),
        cmocka_unit_test(test_bits_per_key_is_bits),
        cmocka_unit_test(test_default_is_one_in_a_thousand),
        cmocka_unit_test(test_known_sizes),
        cmocka_unit_test(test_sizes_of_kinds_that_remove),
        cmocka_unit_test(test_plan_of_a_plan_is_itself),
        cmocka_unit_test(test_plan_of_a_ribbon_plan_with_a_long_rate),
        cmocka_unit_test(test_plan_of_an_empty_plan),
        cmocka_unit_test(test_no_keys_at_so_many_bits_per_key),
        cmocka_unit_test(test_plan_of_a_plan_at_the_ends),
        cmocka_unit_test(test_plan_of_a_plan_with_a_round_rate),
        cmocka_unit_test(test_offers_are_possible),
        cmocka_unit_test(test_impossible_requestes_name_the_values),
        cmocka_unit_test(test_dcso_is_planned_as_a_whole),
        cmocka_unit_test(test_senseless_requestes),
        cmocka_unit_test(test_smallest_and_largest),
        cmocka_unit_test(test_planning_never_takes_long),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
