/* SPDX-License-Identifier: MIT */
/*
 * Private kinds with a secret and a label, through the public header only: the same set, parameters, secret and label
 * give the same bytes, however the keys came and the parameters were spelled; anything else gives bytes that have
 * nothing to do with them.
 */
#define UF_EXPERIMENTAL /* uf_distance */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "keys.h"
#include "subjects.h"

static uf_secret *secret, *other_secret;

static uf_context with_secret(const uf_secret *which)
{
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.secret = which;
    ctx.label = "spring";
    return ctx;
}

static uf_filter *build_secret(const char *text, const uf_key *keys, size_t count)
{
    uf_context ctx = with_secret(secret);
    return build(text, keys, count, &ctx);
}

/* The subject without a seed of its own, for n keys. */
static const char *for_keys(const struct subject *subject, size_t n)
{
    static char text[8][200];
    static unsigned next;
    char *out = text[next++ % 8];
    (void)snprintf(out, sizeof text[0], "%s,n=%zu", subject->unsown, n);
    return out;
}

static void assert_other_bytes(const uf_filter *a, const uf_filter *b, const char *what)
{
    struct bytes one = bytes_of(a, UF_FORMAT_UF), two = bytes_of(b, UF_FORMAT_UF);
    assert_that(!bytes_equal(&one, &two), "%s: the same bytes", what);
    bytes_free(&one);
    bytes_free(&two);
}

/* ---- the same ---- */

static void reverse(struct keys *keys)
{
    for (size_t i = 0; i < keys->count / 2; i++) {
        uf_key held = keys->key[i];
        keys->key[i] = keys->key[keys->count - 1 - i];
        keys->key[keys->count - 1 - i] = held;
    }
}

/* In another order, in batches of 1, 2, 3 ... keys, and most of them again. */
static uf_filter *build_otherwise(const char *text, struct keys *keys, unsigned threads)
{
    uf_spec spec = spec_of(text);
    uf_context ctx = with_secret(secret);
    uf_builder *builder;
    uf_filter *filter;
    uf_error why;
    ctx.threads = threads;
    assert_status(UF_OK, uf_builder_new(&spec, &ctx, &builder, &why), &why);
    reverse(keys);
    for (size_t done = 0, step = 0; done < keys->count; step++) {
        size_t now = step < keys->count - done ? step : keys->count - done;
        assert_status(UF_OK, uf_builder_add(builder, keys->key + done, now, NULL), NULL);
        done += now;
    }
    reverse(keys);
    assert_status(UF_OK, uf_builder_add(builder, keys->key, keys->count * 2 / 3, NULL), NULL);
    assert_status(UF_OK, uf_builder_finish(builder, &filter, &why), &why);
    uf_builder_free(builder);
    return filter;
}

static void check_order_and_duplicates(const struct subject *subject)
{
    static const size_t sizes[] = {0, 1, 3000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct keys keys = keys_make("key", sizes[i]);
        uf_filter *array = build_secret(for_keys(subject, sizes[i]), keys.key, keys.count);
        for (unsigned threads = 1; threads <= 2; threads++) {
            uf_filter *otherwise = build_otherwise(for_keys(subject, sizes[i]), &keys, threads);
            assert_same_bytes(array, otherwise, "another order, batches, duplicates");
            uf_free(otherwise);
        }
        uf_free(array);
        keys_free(&keys);
    }
}

static void check_threads_and_paths(const struct subject *subject)
{
    struct keys keys = keys_make("key", 70000);
    uf_context ctx = with_secret(secret);
    ctx.cpu = UF_CPU_SCALAR;
    uf_filter *one = build(for_keys(subject, keys.count), keys.key, keys.count, &ctx);
    ctx.cpu = UF_CPU_AUTO;
    for (ctx.threads = 1; ctx.threads <= 4; ctx.threads *= 2) {
        uf_filter *many = build(for_keys(subject, keys.count), keys.key, keys.count, &ctx);
        assert_same_bytes(one, many, "the scalar path with one thread, and the best with several");
        assert_same_answers(one, many, "the scalar path and the best");
        uf_free(many);
    }
    uf_free(one);
    keys_free(&keys);
}

/* The plan of a filter, its seed in it, with the same keys and secret: the very same release. */
static void check_twins(const struct subject *subject)
{
    struct keys keys = keys_make("key", 1000);
    uf_filter *filter = build_secret(for_keys(subject, keys.count), keys.key, keys.count);
    uf_spec plan;
    uf_get_plan(filter, &plan);
    uf_filter *twin = build_secret(plan.text, keys.key, keys.count);
    assert_same_bytes(filter, twin, "a filter and its twin");
    uf_free(filter);
    uf_free(twin);
    keys_free(&keys);
}

static void check_exports(const char *spec, int times)
{
    struct keys keys = keys_make("key", 20);
    uint64_t seed = 16;
    uf_context ctx = seeded_context(&seed); /* which is not asked, since there is a label */
    ctx.secret = secret;
    ctx.label = "spring";
    struct bytes first = bytes_of_build(spec, keys.key, keys.count, &ctx);
    for (int i = 1; i < (test_small() ? 50 : times); i++) {
        struct bytes again = bytes_of_build(spec, keys.key, keys.count, &ctx);
        assert_true(bytes_equal(&first, &again));
        bytes_free(&again);
    }
    assert_int_equal(seed, 16);
    bytes_free(&first);
    keys_free(&keys);
}

/* A release again and again tells nothing new. */
static void test_thousand_exports(void **state)
{
    uf_claim claim;
    (void)state;
    check_exports("dpset:n=20,epsilon=1", 1000);
    check_exports("ultra:n=20,epsilon=1,k=1", 1000);
    check_exports("dpset:epsilon=1,count_epsilon=1", 100);
    check_exports("ultra:epsilon=1,count_epsilon=1,k=2", 100);
    uf_filter *filter = build_secret("dpset:n=20,epsilon=1", NULL, 0);
    uf_get_claim(filter, &claim, sizeof claim);
    assert_null(strstr(claim.adversary, "nobody"));
    uf_free(filter);
}

static void test_spellings(void **state)
{
    static const char *const same[][2] = {
        {"dpset:n=1000,epsilon=3,variant=dyadic", "dpset:epsilon=3.0,n=1e3,slack=0.12,variant=dyadic"},
        {"ultra:n=1000,epsilon=3", "ultra:mechanism=rr,epsilon=3,n=1e3,bits_per_key=16"},
        {"dpset:epsilon=1,count_epsilon=0.5", "dpset:count_epsilon=5e-1,epsilon=1.0"},
    };
    struct keys keys = keys_make("key", 1000);
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        uf_filter *a = build_secret(same[i][0], keys.key, keys.count);
        uf_filter *b = build_secret(same[i][1], keys.key, keys.count);
        assert_same_bytes(a, b, same[i][1]);
        uf_free(a);
        uf_free(b);
    }
    keys_free(&keys);
}

/* ---- not the same ---- */

/* Another secret, one key more or less, another capacity, another epsilon, no secret. */
static void check_other_releases(const struct subject *subject)
{
    struct keys keys = keys_make("key", 1001);
    uf_context none = UF_CONTEXT_INIT, other = with_secret(other_secret);
    const char *text = for_keys(subject, 2000);
    uf_spec sharper = spec_of(text);
    assert_status(UF_OK, uf_spec_set(&sharper, "epsilon", "2.5", NULL), NULL);
    uf_filter *first = build_secret(text, keys.key, 1000);
    uf_filter *others[] = {
        build(text, keys.key, 1000, &other),        build_secret(text, keys.key, 1001),
        build_secret(text, keys.key + 1, 1000),     build_secret(text, keys.key, 999),
        build_secret(sharper.text, keys.key, 1000), build_secret(for_keys(subject, 2001), keys.key, 1000),
        build(text, keys.key, 1000, &none),         build(text, keys.key, 1000, &none),
    };
    enum { OTHERS = sizeof others / sizeof others[0] };
    for (size_t i = 0; i < OTHERS; i++) {
        assert_other_bytes(first, others[i], "another release");
        for (size_t j = 0; j < i; j++)
            assert_other_bytes(others[i], others[j], "two other releases");
    }
    for (size_t i = 0; i < OTHERS; i++)
        uf_free(others[i]);
    uf_free(first);
    keys_free(&keys);
}

/* The smallest and the largest share of bits that differ, over 16 equal parts of the payload. */
static void shares(const uf_filter *a, const uf_filter *b, double *least, double *most)
{
    enum { PARTS = 16 };
    uf_info info;
    struct bytes one = bytes_of(a, UF_FORMAT_UF), two = bytes_of(b, UF_FORMAT_UF);
    uf_get_info(a, &info, sizeof info);
    size_t part = (size_t)(info.bits / 8 / PARTS);
    *least = 1;
    *most = 0;
    for (size_t p = 0; p < PARTS; p++) {
        uint64_t different = 0;
        for (size_t i = 4096 + p * part; i < 4096 + (p + 1) * part; i++)
            different += (uint64_t)__builtin_popcount(one.data[i] ^ two.data[i]);
        double share = (double)different / (8 * (double)part);
        *least = fmin(*least, share);
        *most = fmax(*most, share);
    }
    bytes_free(&one);
    bytes_free(&two);
}

/* Coins that were kept for the keys, or the shards, that did not change would prove which did. So one key among 200 000
 * changes every part of the file as much as other coins do: half of the bits of dpset, in 16 parts of 57 000 bits, each
 * within 5 sigma (0.0105); of ultra, the bits that are flipped in one and not in the other, 2 a (1 - a). */
static void test_one_key_changes_everything(void **state)
{
    struct keys keys = keys_make("key", 200001);
    const size_t n = 200000;
    static const char *const specs[] = {"dpset:n=200001,epsilon=3", "ultra:n=200001,epsilon=3,k=1"};
    const double a = 1 / (1 + exp(-3)), expected[] = {0.5, 2 * a * (1 - a)};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        uf_filter *without = build_secret(specs[i], keys.key, n), *with_it = build_secret(specs[i], keys.key, n + 1);
        uf_filter *again = build_secret(specs[i], keys.key, n);
        double least, most;
        shares(without, with_it, &least, &most);
        assert_that(least > expected[i] - 0.0105 && most < expected[i] + 0.0105, "%s: %g to %g of the bits differ",
                    specs[i], least, most);
        shares(without, again, &least, &most); /* the control: the same set */
        assert_true(least == 0 && most == 0);
        uf_free(without);
        uf_free(with_it);
        uf_free(again);
    }
    keys_free(&keys);
}

/* The same for the smallest sets: none of them shares coins with another. */
static void test_few_keys_change_everything(void **state)
{
    const uf_key keys[] = {{"a", 1}, {"b", 1}};
    uf_filter *filter[] = {
        build_secret("dpset:n=2000,epsilon=3", NULL, 0),
        build_secret("dpset:n=2000,epsilon=3", keys, 1),
        build_secret("dpset:n=2000,epsilon=3", keys + 1, 1),
        build_secret("dpset:n=2000,epsilon=3", keys, 2),
    };
    uf_info info;
    (void)state;
    uf_get_info(filter[0], &info, sizeof info);
    double half = (double)info.bits / 2;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < i; j++) {
            uint64_t bits;
            assert_status(UF_OK, uf_distance(filter[i], filter[j], &bits), NULL);
            assert_that(fabs((double)bits - half) < 5 * sqrt(half / 2), "sets %zu and %zu: %g of %g bits differ", i, j,
                        (double)bits, 2 * half);
        }
    for (size_t i = 0; i < 4; i++)
        uf_free(filter[i]);
}

/* ---- seeds ---- */

/* Of plain and keyed filters of any kind: a secret does nothing to the seed unless the spec asks for it. */
static void test_seeds_are_fixed_when_asked(void **state)
{
    static const char *const drawn[] = {"bloom:n=100", "blocked:n=100", "ribbon:n=100", "counting:n=100",
                                        "keyed(bloom:n=100)"};
    struct keys keys = keys_make("key", 100);
    (void)state;
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
        uf_spec derived = spec_of(drawn[i]), plan;
        uf_filter *a = build_secret(drawn[i], keys.key, keys.count), *b = build_secret(drawn[i], keys.key, keys.count);
        assert_other_bytes(a, b, drawn[i]);
        uf_free(a);
        uf_free(b);
        assert_status(UF_OK, uf_spec_set(&derived, "seed", "derived", NULL), NULL);
        assert_status(UF_OK, uf_plan(&derived, &plan, NULL), NULL);
        assert_non_null(strstr(plan.text, "seed=derived"));
        a = build_secret(derived.text, keys.key, keys.count);
        b = build_secret(derived.text, keys.key, keys.count);
        assert_same_bytes(a, b, derived.text);
        uf_get_plan(a, &plan);
        assert_non_null(strstr(plan.text, "seed=0x"));
        uf_free(b);
        b = build_secret(plan.text, keys.key, keys.count);
        assert_same_bytes(a, b, plan.text);
        uf_free(b);
        uf_context other = with_secret(other_secret);
        b = build(derived.text, keys.key, keys.count, &other);
        assert_other_bytes(a, b, "another secret");
        uf_free(a);
        uf_free(b);
    }
    keys_free(&keys);
}

static void test_derived_seeds_need_a_secret(void **state)
{
    static const char *const texts[] = {"bloom:n=1,seed=derived", "dpset:n=1,epsilon=3,seed=derived"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        uf_spec spec = spec_of(texts[i]);
        uf_filter *filter = NULL;
        uf_error why;
        assert_refused(UF_EKEY, uf_build(&spec, NULL, 0, NULL, &filter, &why), &why);
        assert_non_null(strstr(why.text, "seed=derived"));
        assert_null(filter);
    }
    uf_spec spec;
    uf_error why;
    assert_refused(UF_EINVAL, uf_spec_parse("bloom:n=1,seed=derive", &spec, &why), &why);
    assert_refused(UF_EINVAL, uf_spec_parse("dcso:n=1,seed=derived", &spec, &why), &why);
}

int main(void)
{
    const struct check checks[] = {
        {"order, batches, duplicates", check_order_and_duplicates},
        {"threads, scalar and vector paths", check_threads_and_paths},
        {"twins", check_twins},
        {"other releases", check_other_releases},
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thousand_exports),           cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_one_key_changes_everything), cmocka_unit_test(test_few_keys_change_everything),
        cmocka_unit_test(test_seeds_are_fixed_when_asked), cmocka_unit_test(test_derived_seeds_need_a_secret),
    };
    secret = new_secret();
    other_secret = new_secret();
    int failed = subjects_run_private("conform_secret", checks, sizeof checks / sizeof checks[0]);
    failed |= cmocka_run_group_tests_name("secrets", tests, NULL, NULL);
    uf_secret_free(secret);
    uf_secret_free(other_secret);
    return failed;
}
