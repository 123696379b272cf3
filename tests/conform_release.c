/* SPDX-License-Identifier: MIT */
/*
 * uf_release and uf_distance, through the public header only: noisy copies of an exact filter that its owner keeps. How
 * far a copy is from the array it was made from is known: all bits flip with chance T / 2^64 (rr), or the ones do
 * (published).
 */
#define UF_EXPERIMENTAL /* uf_distance */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "folder.h"
#include "keys.h"
#include "subjects.h"

enum { KEYS = 20000 };

static uf_filter *exact_of(const char *text)
{
    struct keys keys = keys_make("key", KEYS);
    uf_filter *exact = build(text, keys.key, keys.count, NULL);
    keys_free(&keys);
    return exact;
}

static uf_filter *release(const uf_filter *exact, const char *how, const uf_context *ctx)
{
    uf_spec spec = spec_of(how);
    uf_filter *copy = NULL;
    uf_error why = {0, 0, ""};
    int status = uf_release(exact, &spec, ctx, &copy, &why);
    assert_that(status == UF_OK, "releasing %s gave %d: %s", how, status, why.text);
    return copy;
}

static uint64_t distance(const uf_filter *a, const uf_filter *b)
{
    uint64_t bits = UINT64_MAX;
    assert_status(UF_OK, uf_distance(a, b, &bits), NULL);
    return bits;
}

/* Set bits of the payload. */
static uint64_t ones_of(const uf_filter *filter)
{
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    uf_info info;
    uint64_t ones = 0;
    uf_get_info(filter, &info, sizeof info);
    for (size_t i = 0; i < info.bytes; i++)
        ones += (uint64_t)__builtin_popcount(bytes.data[4096 + i]);
    bytes_free(&bytes);
    return ones;
}

static double of_plan(const uf_filter *filter, const char *name)
{
    uf_spec plan;
    double value = NAN;
    uf_get_plan(filter, &plan);
    (void)uf_spec_get(&plan, name, &value);
    return value;
}

/* ---- the copy ---- */

/* Its shape is that of the exact filter, its promise is the request, its answers those of ultra. */
static void test_copy(void **state)
{
    static const char *const exacts[] = {"bloom:n=20000,fpr=0.01", "bloom:n=20000,k=1,bits_per_key=16",
                                         "bloom:n=20000,k=4,bits=80001", "bloom:n=25000,fpr=0.3"};
    struct keys keys = keys_make("key", KEYS), probes = keys_make("probe", KEYS);
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        uint64_t seed = 21;
        uf_context ctx = seeded_context(&seed);
        uf_filter *exact = exact_of(exacts[i]), *copy = release(exact, "ultra:epsilon=8", &ctx);
        uf_info info[2];
        uf_claim claim;
        uf_get_info(exact, &info[0], sizeof info[0]);
        uf_get_info(copy, &info[1], sizeof info[1]);
        uf_get_claim(copy, &claim, sizeof claim);
        assert_string_equal(info[1].kind, "ultra");
        assert_true(info[0].bits == info[1].bits && info[0].bytes == info[1].bytes);
        assert_true(info[0].capacity == info[1].capacity && of_plan(exact, "k") == of_plan(copy, "k"));
        assert_true(claim.epsilon <= 8 && claim.epsilon > 8 - 1e-9);
        double missed = KEYS - (double)keys_found(copy, &keys), yes = (double)keys_found(copy, &probes);
        assert_true(fabs(missed - KEYS * claim.fnr) < 4 * sqrt(KEYS * claim.fnr) + 1);
        assert_true(yes < KEYS * claim.fpr + 4 * sqrt(KEYS * claim.fpr) + 0.05 * KEYS * claim.fpr);
        assert_status(UF_EUNSUPPORTED, uf_insert(copy, keys.key[0], NULL), NULL);
        uf_free(copy);
        uf_free(exact);
    }
    keys_free(&keys);
    keys_free(&probes);
}

/* The owner's filter stays as it was, and goes on growing; a copy of the grown one is another. */
static void test_exact_filter_is_kept(void **state)
{
    struct keys more = keys_make("more", 1000);
    uf_filter *exact = exact_of("bloom:n=30000,seed=0x1");
    struct bytes before = bytes_of(exact, UF_FORMAT_UF);
    (void)state;
    uf_filter *copy = release(exact, "ultra:epsilon=3", NULL);
    struct bytes after = bytes_of(exact, UF_FORMAT_UF), copied = bytes_of(copy, UF_FORMAT_UF);
    assert_true(bytes_equal(&before, &after));
    assert_status(UF_OK, uf_insert_many(exact, more.key, more.count, NULL), NULL);
    assert_int_equal(keys_found(exact, &more), more.count);
    struct bytes still = bytes_of(copy, UF_FORMAT_UF);
    assert_true(bytes_equal(&copied, &still));
    bytes_free(&before);
    bytes_free(&after);
    bytes_free(&copied);
    bytes_free(&still);
    uf_free(copy);
    uf_free(exact);
    keys_free(&more);
}

static void test_copy_is_saved_and_loaded(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    uf_filter *exact = exact_of("bloom:n=20000"), *copy = release(exact, "ultra:epsilon=3", NULL), *back;
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_save(copy, path, UF_FORMAT_UF, &why), &why);
    assert_status(UF_OK, uf_load(path, UF_FORMAT_UF, NULL, &back, &why), &why);
    assert_same_bytes(copy, back, "a copy, saved and loaded");
    assert_same_answers(copy, back, "a copy, saved and loaded");
    uf_free(back);
    uf_free(copy);
    uf_free(exact);
    folder_remove(&folder);
}

/* A mapped filter can be released: it is only read. */
static void test_mapped_exact_filter(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    uf_filter *exact = exact_of("bloom:n=20000,seed=0x1"), *mapped;
    uf_secret *secret = new_secret();
    uint64_t seeds[2] = {22, 22};
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_save(exact, path, UF_FORMAT_UF, &why), &why);
    int status = uf_load(path, UF_MAP, NULL, &mapped, &why);
    if (status == UF_OK) {
        uf_context ctx[2] = {seeded_context(&seeds[0]), seeded_context(&seeds[1])};
        uf_filter *a = release(exact, "ultra:epsilon=3", &ctx[0]), *b = release(mapped, "ultra:epsilon=3", &ctx[1]);
        assert_same_bytes(a, b, "copies of a filter and of its mapped file");
        uf_free(a);
        uf_free(b);
        ctx[0].secret = ctx[1].secret = secret;
        ctx[0].label = ctx[1].label = "spring";
        a = release(exact, "ultra:epsilon=3", &ctx[0]);
        b = release(mapped, "ultra:epsilon=3", &ctx[1]);
        assert_same_bytes(a, b, "copies of a filter and of its mapped file, with a secret");
        uf_free(a);
        uf_free(b);
        uf_free(mapped);
    } else {
        assert_status(UF_EUNSUPPORTED, status, &why); /* a big-endian machine */
    }
    uf_free(exact);
    uf_secret_free(secret);
    folder_remove(&folder);
}

/* ---- one release, many releases ---- */

static void test_copies_differ_but_for_a_secret(void **state)
{
    uf_secret *secret = new_secret(), *other = new_secret();
    uf_filter *exact = exact_of("bloom:n=21000,seed=0x1"), *copy[7];
    uf_context ctx = UF_CONTEXT_INIT;
    (void)state;
    copy[0] = release(exact, "ultra:epsilon=3", NULL);
    copy[1] = release(exact, "ultra:epsilon=3", NULL);
    ctx.secret = secret;
    ctx.label = "spring";
    copy[2] = release(exact, "ultra:epsilon=3", &ctx);
    ctx.threads = 4;
    copy[3] = release(exact, "ultra:mechanism=rr,epsilon=3.0,n=21000", &ctx); /* the same, in other words */
    copy[4] = release(exact, "ultra:epsilon=2", &ctx);
    ctx.secret = other;
    copy[5] = release(exact, "ultra:epsilon=3", &ctx);
    ctx.secret = secret;
    assert_status(UF_OK, uf_insert(exact, (uf_key){"one more", 8}, NULL), NULL);
    copy[6] = release(exact, "ultra:epsilon=3", &ctx);
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < i; j++)
            assert_that((distance(copy[i], copy[j]) == 0) == (i == 3 && j == 2), "copies %zu and %zu", i, j);
    assert_same_bytes(copy[2], copy[3], "one secret, twice");
    for (size_t i = 0; i < 7; i++)
        uf_free(copy[i]);
    uf_free(exact);
    uf_secret_free(secret);
    uf_secret_free(other);
}

static int is_marked(const uf_filter *filter)
{
    uf_claim claim;
    uf_get_claim(filter, &claim, sizeof claim);
    return !strncmp(claim.adversary, "nobody", 6);
}

static void test_test_randomness_is_marked(void **state)
{
    uint64_t seed = 23;
    uf_context ctx = seeded_context(&seed);
    uf_filter *exact = exact_of("bloom:n=20000"), *tested = release(exact, "ultra:epsilon=3", &ctx);
    uf_filter *real = release(exact, "ultra:epsilon=3", NULL);
    (void)state;
    assert_true(is_marked(tested) && !is_marked(real));
    uf_free(exact);
    uf_free(tested);
    uf_free(real);
}

/* ---- how far ---- */

/* Standard deviations between what was counted and a binomial of `trials` with `rate`. */
static double sigmas(double counted, double trials, double rate)
{
    return (counted - trials * rate) / sqrt(trials * rate * (1 - rate));
}

/* Every bit of the array flips alike, ones and zeros; the control is the rate of twice the epsilon. */
static void test_distance_of_rr(void **state)
{
    static const double epsilons[] = {0.5, 1, 3};
    uint64_t seed = 24;
    uf_context ctx = seeded_context(&seed);
    uf_filter *exact = exact_of("bloom:n=20000,k=2,bits=320000,seed=0x1");
    double ones = (double)ones_of(exact), bits = 320000;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char how[64];
        (void)snprintf(how, sizeof how, "ultra:epsilon=%g", epsilons[i]);
        uf_filter *copy = release(exact, how, &ctx);
        double far = (double)distance(exact, copy), flip = 1 / (1 + exp(epsilons[i] / 2)); /* k = 2 */
        double lost = (far + ones - (double)ones_of(copy)) / 2;                            /* ones that became zeros */
        assert_that(fabs(sigmas(far, bits, flip)) < 3, "epsilon %g: %g bits differ", epsilons[i], far);
        assert_true(fabs(sigmas(lost, ones, flip)) < 3 && fabs(sigmas(far - lost, bits - ones, flip)) < 3);
        assert_true(fabs(sigmas(far, bits, 1 / (1 + exp(epsilons[i])))) > 10);
        uf_free(copy);
    }
    uf_free(exact);
}

/* Ones are cleared, zeros stay: what a copy has is in the original. */
static void test_distance_of_published(void **state)
{
    uint64_t seed = 25;
    uf_context ctx = seeded_context(&seed);
    uf_filter *exact = exact_of("bloom:n=20000,k=2,bits=320000,seed=0x1");
    uf_filter *copy = release(exact, "ultra:epsilon=1,mechanism=published", &ctx);
    double ones = (double)ones_of(exact), far = (double)distance(exact, copy);
    uf_claim claim;
    (void)state;
    assert_true((double)ones_of(copy) == ones - far);
    assert_true(fabs(sigmas(far, ones, 1 / (1 + exp(1)))) < 3);
    uf_get_claim(copy, &claim, sizeof claim);
    assert_true(isnan(claim.epsilon));
    uf_free(copy);
    uf_free(exact);
}

static void test_distance_needs_one_size(void **state)
{
    uf_filter *a = exact_of("bloom:n=20000"), *b = exact_of("bloom:n=30000");
    uint64_t bits = 5;
    (void)state;
    assert_status(UF_EMISMATCH, uf_distance(a, b, &bits), NULL);
    assert_status(UF_EINVAL, uf_distance(a, NULL, &bits), NULL);
    assert_status(UF_EINVAL, uf_distance(NULL, a, &bits), NULL);
    assert_status(UF_EINVAL, uf_distance(a, a, NULL), NULL);
    assert_int_equal(bits, 5);
    assert_int_equal(distance(a, a), 0);
    uf_free(a);
    uf_free(b);
}

/* ---- what is refused ---- */

static void check_no_copy(const char *exact_text, const char *how, int status, const char *named)
{
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    uf_filter *exact = exact_of(exact_text), *copy = NULL;
    struct bytes before = bytes_of(exact, UF_FORMAT_UF);
    uf_spec spec = spec_of(how);
    uf_error why = {0, 0, ""};
    int got = uf_release(exact, &spec, &ctx, &copy, &why);
    assert_that(got == status && !copy && why.status == status, "%s of %s gave %d: %s", how, exact_text, got, why.text);
    assert_that(strstr(why.text, named) != NULL, "'%s' does not say %s", why.text, named);
    struct bytes after = bytes_of(exact, UF_FORMAT_UF);
    assert_true(bytes_equal(&before, &after) && counting_is_clean(&counting));
    bytes_free(&before);
    bytes_free(&after);
    uf_free(exact);
}

static void test_refused(void **state)
{
    static const char bloom[] = "bloom:n=20000,bits=320000,k=2,seed=0x1";
    (void)state;
    check_no_copy("blocked:n=20000", "ultra:epsilon=3", UF_EUNSUPPORTED, "blocked");
    check_no_copy("ribbon:n=20000", "ultra:epsilon=3", UF_EUNSUPPORTED, "ribbon");
    check_no_copy("dcso:n=20000", "ultra:epsilon=3", UF_EUNSUPPORTED, "dcso");
    check_no_copy("ultra:n=20000,epsilon=3", "ultra:epsilon=3", UF_EUNSUPPORTED, "ultra");
    check_no_copy("dpset:n=20000,epsilon=3", "ultra:epsilon=3", UF_EUNSUPPORTED, "dpset");
    check_no_copy(bloom, "dpset:epsilon=3", UF_EUNSUPPORTED, "dpset");
    check_no_copy(bloom, "bloom:n=20000", UF_EUNSUPPORTED, "bloom");
    check_no_copy(bloom, "ultra", UF_EINVAL, "epsilon");
    check_no_copy(bloom, "ultra:epsilon=0.01", UF_EINVAL, "epsilon");
    check_no_copy(bloom, "ultra:epsilon=3,n=20001", UF_EMISMATCH, "n=20001");
    check_no_copy(bloom, "ultra:epsilon=3,bits=320001", UF_EMISMATCH, "bits=320001");
    check_no_copy(bloom, "ultra:epsilon=3,bits_per_key=16", UF_EINVAL, "bits");
    check_no_copy(bloom, "ultra:epsilon=3,k=3", UF_EMISMATCH, "k=3");
    check_no_copy(bloom, "ultra:epsilon=3,t=3", UF_EINVAL, "t=3");
    check_no_copy(bloom, "ultra:epsilon=3,seed=0x1", UF_EINVAL, "seed");
    check_no_copy(bloom, "ultra:epsilon=3,count_epsilon=1", UF_EINVAL, "count_epsilon");
    check_no_copy(bloom, "ultra:epsilon=3,mechanism=published,hashes=paper", UF_EINVAL, "hashes");
    check_no_copy("bloom:n=20000,bits=70,k=7", "ultra:epsilon=3,mechanism=published,hashes=paper", UF_EINVAL, "hashes");
    assert_status(UF_EINVAL, uf_release(NULL, NULL, NULL, NULL, NULL), NULL);
}

/* ---- a capacity that was counted ---- */

static int is_declared(const uf_filter *filter)
{
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    return info.declared;
}

/* Releases it, or not, by whether its capacity was declared; then frees it. */
static void check_declared(uf_filter *exact, int declared, const char *what)
{
    uf_spec how = spec_of("ultra:epsilon=3");
    uf_filter *copy = NULL;
    uf_error why;
    int status = uf_release(exact, &how, NULL, &copy, &why);
    assert_that(status == (declared ? UF_OK : UF_EUNDECLARED) && is_declared(exact) == declared, "%s gave %d: %s", what,
                status, why.text);
    assert_true(declared ? copy != NULL : !copy && !strstr(why.text, "3000"));
    uf_free(copy);
    uf_free(exact);
}

static uf_filter *loaded(const uf_filter *filter)
{
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    uf_filter *back = NULL;
    assert_status(UF_OK, uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, NULL, &back, NULL), NULL);
    bytes_free(&bytes);
    return back;
}

static uf_filter *built_of(const char *text, const struct keys *keys)
{
    uf_spec spec = spec_of(text);
    uf_builder *builder;
    uf_filter *filter = NULL;
    assert_status(UF_OK, uf_builder_new(&spec, NULL, &builder, NULL), NULL);
    assert_status(UF_OK, uf_builder_add(builder, keys->key, keys->count, NULL), NULL);
    assert_status(UF_OK, uf_builder_finish(builder, &filter, NULL), NULL);
    uf_builder_free(builder);
    return filter;
}

/* Whoever counted, and whatever happened to the filter since. */
static void test_undeclared(void **state)
{
    struct keys keys = keys_make("key", 3000);
    uf_filter *copy = NULL, *counted = build("bloom:fpr=0.01,seed=0x1", keys.key, keys.count, NULL);
    uf_filter *twin = build("bloom:n=3000,fpr=0.01,seed=0x1", keys.key, keys.count, NULL);
    (void)state;
    check_declared(built_of("bloom:fpr=0.01", &keys), 0, "a builder that counts");
    check_declared(built_of("bloom:n=3000,fpr=0.01", &keys), 1, "a builder with n");
    check_declared(build("bloom:bits=40000,fpr=0.01", keys.key, keys.count, NULL), 1, "bits and fpr");
    check_declared(loaded(counted), 0, "a file");
    check_declared(loaded(twin), 1, "a file of a declared one");
    assert_status(UF_OK, uf_copy(counted, NULL, &copy, NULL), NULL);
    check_declared(copy, 0, "a copy");
    assert_status(UF_OK, uf_copy(twin, NULL, &copy, NULL), NULL);
    assert_status(UF_OK, uf_merge(copy, twin, NULL), NULL);
    check_declared(copy, 1, "a union of declared ones");
    assert_status(UF_OK, uf_merge(twin, counted, NULL), NULL);
    check_declared(twin, 0, "a union");
    check_declared(counted, 0, "uf_build");
    twin = build("bloom:n=3000,fpr=0.01", keys.key, keys.count, NULL);
    uf_mark_counted(twin);
    check_declared(twin, 0, "a mark");
    uf_mark_counted(NULL);
    keys_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_exact_filter_is_kept),
        cmocka_unit_test(test_copy_is_saved_and_loaded),
        cmocka_unit_test(test_mapped_exact_filter),
        cmocka_unit_test(test_copies_differ_but_for_a_secret),
        cmocka_unit_test(test_test_randomness_is_marked),
        cmocka_unit_test(test_distance_of_rr),
        cmocka_unit_test(test_distance_of_published),
        cmocka_unit_test(test_distance_needs_one_size),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_undeclared),
    };
    return cmocka_run_group_tests_name("release", tests, NULL, NULL);
}
