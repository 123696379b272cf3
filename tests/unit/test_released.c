/* SPDX-License-Identifier: MIT */
/*
 * Filters of released sets: every kind, what they refuse, what they claim and what they keep to themselves; the mark in
 * the file, whole and damaged.
 */
#include <math.h>

#include "counting.h"
#include "random.h"
#include "samples.h"

enum { UNIVERSE = 20000, MEMBERS = 2000 };

static uf_universe *universe;
static uf_set *plain;

static int setup(void **state)
{
    char buffer[24];
    (void)state;
    assert_status(UF_OK, uf_universe_parse("range:1-20000", NULL, &universe, NULL), NULL);
    assert_status(UF_OK, uf_set_new(universe, NULL, &plain, NULL), NULL);
    for (uint64_t i = 0; i < MEMBERS; i++) {
        uf_key key = uf_universe_key(universe, i, buffer);
        assert_status(UF_OK, uf_set_add(plain, &key, 1, NULL), NULL);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    uf_set_free(plain);
    uf_universe_free(universe);
    return 0;
}

/* The same release and the same filter for the same number. */
static uf_filter *build(const char *how, const char *text, uint64_t random, unsigned threads)
{
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec spec = spec_of(text);
    uf_set *set = NULL;
    uf_filter *filter = NULL;
    uf_error why;
    ctx.random = random_bytes;
    ctx.random_arg = &random;
    ctx.threads = threads;
    if (how)
        assert_status(UF_OK, uf_set_release(plain, how, &ctx, &set, &why), &why);
    assert_status(UF_OK, uf_build_set(&spec, how ? set : plain, &ctx, &filter, &why), &why);
    uf_set_free(set);
    return filter;
}

/* ---- building ---- */

/* A plain set gives the filter that its keys give, byte for byte. */
static void test_plain_sets(void **state)
{
    static const char *const specs[] = {"bloom:fpr=0.01,seed=0x1", "blocked:bits=30000,seed=0x2", "ribbon:seed=0x3",
                                        "dcso:fpr=0.01"};
    static char text[MEMBERS][24];
    static uf_key keys[MEMBERS];
    (void)state;
    for (size_t i = 0; i < MEMBERS; i++)
        keys[i] = uf_universe_key(universe, i, text[i]);
    for (size_t i = 0; i < 4; i++) {
        uf_filter *filter = build(NULL, specs[i], 1, 1);
        uf_released released;
        struct bytes want = bytes_of_build(specs[i], keys, MEMBERS, NULL), got = bytes_of(filter, UF_FORMAT_UF);
        assert_true(bytes_equal(&want, &got));
        uf_get_released(filter, &released, sizeof released);
        assert_true(!released.mechanism && isnan(released.bound) && !released.universe);
        bytes_free(&want);
        bytes_free(&got);
        uf_free(filter);
    }
}

/* Any kind; and the number of threads does not change a byte. */
static void test_threads_change_nothing(void **state)
{
    static const char *const specs[] = {"bloom:seed=0x1", "blocked:n=4000,seed=0x2", "ribbon:seed=0x3", "dcso"};
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (unsigned nickel = 0; nickel < 2; nickel++) {
            const char *how = nickel ? "nickel:epsilon=2" : "dime:epsilon=2";
            uf_filter *one = build(how, specs[i], 5, 1), *three = build(how, specs[i], 5, 3);
            struct bytes a = bytes_of(one, UF_FORMAT_UF), b = bytes_of(three, UF_FORMAT_UF);
            assert_that(bytes_equal(&a, &b), "%s of %s", specs[i], how);
            bytes_free(&a);
            bytes_free(&b);
            uf_free(one);
            uf_free(three);
        }
}

static void test_bad_builds(void **state)
{
    uf_spec spec = spec_of("bloom:fpr=0.01"), bad = {"blom"}, impossible = spec_of("bloom:fpr=0.001,bits=8");
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    assert_refused(UF_EINVAL, uf_build_set(&bad, plain, NULL, &filter, &why), &why);
    assert_refused(UF_EINVAL, uf_build_set(NULL, plain, NULL, &filter, &why), &why);
    assert_refused(UF_EINVAL, uf_build_set(&spec, NULL, NULL, &filter, &why), &why);
    assert_refused(UF_EINVAL, uf_build_set(&spec, plain, NULL, NULL, &why), &why);
    assert_int_not_equal(uf_build_set(&impossible, plain, NULL, &filter, &why), UF_OK);
    assert_null(filter);
}

/* A filter that no machine holds is refused before anything is allocated, with the epsilon that would fit. */
static void test_filters_that_do_not_fit(void **state)
{
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    uf_spec spec = spec_of("bloom:bits_per_key=5e9,k=1");
    uf_set *set = NULL;
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_set_release(plain, "nickel:epsilon=1", &ctx, &set, &why), &why);
    size_t before = counting.calls;
    assert_refused(UF_EIMPOSSIBLE, uf_build_set(&spec, set, &ctx, &filter, &why), &why);
    assert_that(strstr(why.text, "this machine has"), "%s", why.text);
    assert_int_equal(counting.calls, before);
    uf_set_free(set);
}

static void test_every_allocation_may_fail(void **state)
{
    uf_set *set = NULL;
    uf_spec spec = spec_of("ribbon:seed=0x1");
    (void)state;
    assert_status(UF_OK, uf_set_release(plain, "dime:epsilon=3", NULL, &set, NULL), NULL);
    for (size_t k = 1, fired = 1; fired; k++) {
        struct counting counting = {.fail_at = k};
        uf_context ctx = counting_context(&counting);
        uf_filter *filter = NULL;
        uf_error why;
        int status = uf_build_set(&spec, set, &ctx, &filter, &why);
        fired = counting.calls >= k;
        assert_that(status == (fired ? UF_ENOMEM : UF_OK), "allocation %zu gave %d", k, status);
        uf_free(filter);
        assert_true(counting_is_clean(&counting));
    }
    uf_set_free(set);
}

/* Its n is the number of released keys, which has the noise of the release. A copy at a smaller epsilon would claim
 * that one and still have this n. */
static void test_no_copies(void **state)
{
    static const char *const hows[] = {"dime:epsilon=8", "nickel:epsilon=8"};
    const uf_spec how = spec_of("ultra:epsilon=1");
    uf_error why;
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (int sized = 0; sized < 2; sized++) {
            uf_filter *filter = build(hows[i], sized ? "bloom:n=4000,k=1" : "bloom:k=1", 1, 1), *copy = NULL;
            uf_info info;
            uf_get_info(filter, &info, sizeof info);
            assert_int_equal(info.declared, 0);
            assert_refused(UF_EUNSUPPORTED, uf_release(filter, &how, NULL, &copy, &why), &why);
            assert_that(!copy && strstr(why.text, i ? "nickel" : "dime"), "%s", why.text);
            uf_free(filter);
        }
}

/* ---- what it claims ---- */

static void near(double got, double want, double error)
{
    assert_that(fabs(got - want) <= error, "%.12g and not %.12g", got, want);
}

static void test_claims(void **state)
{
    uf_filter *dime = build("dime:epsilon=2", "bloom:bits=32768,k=5,n=4000", 2, 1);
    uf_filter *nickel = build("nickel:epsilon=3", "bloom:bits=32768,k=7,n=3000", 2, 1);
    uf_claim claim;
    uf_released released;
    uf_spec plan;
    double f, q = 1 / (1 + exp(2));
    (void)state;
    uf_get_claim(dime, &claim, sizeof claim);
    uf_get_plan(dime, &plan);
    assert_status(UF_OK, uf_spec_get(&plan, "fpr", &f), NULL);
    near(claim.epsilon, 2, 1e-9);
    assert_true(claim.epsilon <= 2 && claim.delta == 0);
    near(claim.fpr, q + (1 - q) * f, 1e-6);
    near(claim.fnr, q * (1 - f), 1e-6);
    assert_string_equal(claim.proof, "docs/privacy.md#dime");
    uf_get_released(dime, &released, sizeof released);
    assert_string_equal(released.mechanism, "dime");
    near(released.rate, q, 1e-9);
    assert_true(released.bound == claim.epsilon && released.universe == UNIVERSE);

    uf_get_claim(nickel, &claim, sizeof claim);
    uf_get_plan(nickel, &plan);
    assert_status(UF_OK, uf_spec_get(&plan, "fpr", &f), NULL);
    assert_true(isnan(claim.epsilon) && claim.fnr == 0);
    near(claim.fpr, exp(-3) + (1 - exp(-3)) * f, 1e-6);
    assert_string_equal(claim.unit, "presence only");
    assert_non_null(strstr(claim.not_protected, "absence"));
    assert_string_equal(claim.proof, "docs/privacy.md#nickel");
    uf_get_released(nickel, &released, sizeof released);
    assert_string_equal(released.mechanism, "nickel");
    near(released.bound, 3, 1e-9);
    near(released.rate, exp(-3), 1e-9);
    uf_free(dime);
    uf_free(nickel);
}

/* Nothing that tells how many keys there are. */
static void test_figures_are_kept_back(void **state)
{
    uf_filter *filter = build("dime:epsilon=2", "bloom:fpr=0.01", 2, 1), *open = build(NULL, "bloom:fpr=0.01", 2, 1);
    uf_info info;
    (void)state;
    uf_get_info(filter, &info, sizeof info);
    assert_true(isnan(info.count_estimate) && isnan(info.fill) && isnan(info.fpr_now) && !info.capacity);
    assert_true(info.bytes > 0 && info.bits > 0);
    uf_get_info(open, &info, sizeof info);
    assert_true(info.fill > 0 && info.capacity == MEMBERS);
    uf_free(filter);
    uf_free(open);
}

/* Nickel misses no member and accepts more others; dime misses some. */
static void test_answers(void **state)
{
    uf_filter *dime = build("dime:epsilon=2", "blocked:fpr=0.001", 6, 1);
    uf_filter *nickel = build("nickel:epsilon=2", "blocked:fpr=0.001", 6, 1);
    size_t dimes = 0, nickels = 0;
    char buffer[24];
    (void)state;
    for (uint64_t i = 0; i < MEMBERS; i++) {
        uf_key key = uf_universe_key(universe, i, buffer);
        dimes += (size_t)uf_query(dime, key);
        nickels += (size_t)uf_query(nickel, key);
    }
    assert_true(nickels == MEMBERS && dimes < MEMBERS);
    uf_free(dime);
    uf_free(nickel);
}

/* ---- what it refuses ---- */

static void test_changes_are_refused(void **state)
{
    uf_filter *filter = build("dime:epsilon=2", "bloom:n=4000,fpr=0.01,seed=0x1", 2, 1);
    uf_filter *open = build(NULL, "bloom:n=4000,fpr=0.01,seed=0x1", 2, 1);
    struct bytes before = bytes_of(filter, UF_FORMAT_UF), after;
    uf_error why;
    (void)state;
    assert_int_equal(uf_insert(filter, (uf_key){"x", 1}, NULL), UF_EUNSUPPORTED);
    assert_int_equal(uf_insert_fixed(filter, "xy", 1, 2, NULL), UF_EUNSUPPORTED);
    assert_refused(UF_EUNSUPPORTED, uf_merge(filter, open, &why), &why);
    assert_non_null(strstr(why.text, "released"));
    assert_refused(UF_EUNSUPPORTED, uf_merge(open, filter, &why), &why);
    after = bytes_of(filter, UF_FORMAT_UF);
    assert_true(bytes_equal(&before, &after));
    assert_int_equal(uf_insert(open, (uf_key){"x", 1}, NULL), UF_OK);
    bytes_free(&before);
    bytes_free(&after);
    uf_free(filter);
    uf_free(open);
}

static void test_a_format_without_marks(void **state)
{
    uf_filter *filter = build("dime:epsilon=2", "dcso", 2, 1);
    struct bytes bytes = {NULL, 0, 0};
    uf_error why;
    (void)state;
    assert_refused(UF_EUNSUPPORTED, uf_write(filter, UF_FORMAT_DCSO, bytes_put, &bytes, &why), &why);
    assert_int_equal(bytes.size, 0);
    uf_free(filter);
}

/* ---- files ---- */

static int load(const struct bytes *file, uf_filter **out, uf_error *why)
{
    return uf_load_bytes(file->data, file->size, UF_FORMAT_UF, NULL, out, why);
}

static void test_round_trip(void **state)
{
    static const char *const specs[] = {"bloom:fpr=0.01", "blocked", "ribbon:fpr=0.3", "dcso"};
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        uf_filter *filter = build(i < 4 ? "dime:epsilon=0.05" : "nickel:epsilon=20", specs[i % 4], 3, 1),
                  *loaded = NULL;
        struct bytes file = bytes_of(filter, UF_FORMAT_UF), again;
        uf_claim a, b;
        uf_error why;
        assert_status(UF_OK, load(&file, &loaded, &why), &why);
        again = bytes_of(loaded, UF_FORMAT_UF);
        assert_true(bytes_equal(&file, &again));
        uf_get_claim(filter, &a, sizeof a);
        uf_get_claim(loaded, &b, sizeof b);
        assert_true(a.fpr == b.fpr && a.fnr == b.fnr && !strcmp(a.proof, b.proof));
        assert_true(a.epsilon == b.epsilon || (isnan(a.epsilon) && isnan(b.epsilon)));
        assert_int_equal(uf_insert(loaded, (uf_key){"x", 1}, NULL), UF_EUNSUPPORTED);
        bytes_free(&file);
        bytes_free(&again);
        uf_free(filter);
        uf_free(loaded);
    }
}

static uint64_t get(const struct bytes *file, size_t at, unsigned bytes)
{
    struct reader reader = {file->data + at, bytes, 0};
    return read_uint(&reader, bytes);
}

static int load_with(const struct bytes *file, size_t at, unsigned bytes, uint64_t value, uf_error *why)
{
    struct bytes copy = {NULL, 0, 0};
    uf_filter *filter = NULL;
    bytes_put(&copy, file->data, file->size);
    struct writer writer = {copy.data + at, bytes, 0};
    write_uint(&writer, value, bytes);
    reseal_header(copy.data);
    int status = load(&copy, &filter, why);
    if (filter) { /* what is accepted is written as it was read */
        struct bytes again = bytes_of(filter, UF_FORMAT_UF);
        uf_claim claim;
        uf_get_claim(filter, &claim, sizeof claim);
        assert_true(bytes_equal(&copy, &again));
        bytes_free(&again);
    }
    uf_free(filter);
    bytes_free(&copy);
    return status;
}

/* bloom has 20 bytes of parameters: the mark is at 92. */
enum { NODE = 44, MECHANISM = 68, THRESHOLD = 92, SIZE_OF_UNIVERSE = 100, BEHIND = 108 };

static void test_damaged_marks(void **state)
{
    static const struct {
        size_t at;
        unsigned bytes;
        uint64_t value;
        int status;
    } cases[] = {
        {MECHANISM, 4, 0, UF_EFORMAT}, /* the mark is still there */
        {MECHANISM, 4, 2, UF_OK},      /* nickel with that threshold is another legal file */
        {MECHANISM, 4, 3, UF_EVERSION},
        {MECHANISM, 4, UINT32_MAX, UF_EVERSION},
        {THRESHOLD, 8, 0, UF_EFORMAT},
        {THRESHOLD, 8, 1, UF_OK},
        {THRESHOLD, 8, UINT64_C(1) << 63, UF_OK},
        {THRESHOLD, 8, (UINT64_C(1) << 63) + 1, UF_EFORMAT}, /* more than a fair coin */
        {THRESHOLD, 8, UINT64_MAX, UF_EFORMAT},
        {SIZE_OF_UNIVERSE, 8, 0, UF_EFORMAT},
        {SIZE_OF_UNIVERSE, 8, 1, UF_OK},
        {SIZE_OF_UNIVERSE, 8, UINT64_C(1) << 60, UF_OK},
        {SIZE_OF_UNIVERSE, 8, (UINT64_C(1) << 60) + 1, UF_EFORMAT},
        {SIZE_OF_UNIVERSE, 8, UINT64_MAX, UF_EFORMAT},
        {NODE, 4, 24 + 20, UF_EFORMAT}, /* without the mark */
        {NODE, 4, 24 + 20 + 15, UF_EFORMAT},
        {NODE, 4, 24 + 20 + 17, UF_EFORMAT},
        {52, 4, UINT32_MAX - 15, UF_EFORMAT}, /* a length of parameters that wraps around with the mark's */
        {BEHIND, 8, 1, UF_EFORMAT},
    };
    uf_filter *filter = build("dime:epsilon=2", "bloom:n=10,bits=640,k=4,seed=0x1", 2, 1);
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_error why;
    (void)state;
    assert_true(get(&file, MECHANISM, 4) == RELEASE_DIME && get(&file, NODE, 4) == 24 + 20 + 16);
    assert_true(get(&file, THRESHOLD, 8) == filter->released.threshold && get(&file, SIZE_OF_UNIVERSE, 8) == UNIVERSE);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int status = load_with(&file, cases[i].at, cases[i].bytes, cases[i].value, &why);
        assert_that(status == cases[i].status, "case %zu gave %d: %s", i, status, status ? why.text : "");
    }
    bytes_free(&file);
    uf_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_sets),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_bad_builds),
        cmocka_unit_test(test_filters_that_do_not_fit),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_no_copies),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_figures_are_kept_back),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_changes_are_refused),
        cmocka_unit_test(test_a_format_without_marks),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damaged_marks),
    };
    return cmocka_run_group_tests_name("released", tests, setup, teardown);
}
