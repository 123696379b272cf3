/* SPDX-License-Identifier: MIT */
/*
 * Filters that grow: levels and their rates, files of them and what is wrong with files, memory that runs out while a
 * level is made. Their rate is measured in tests/stat/stat_chain.c.
 */
#include "chain.h"

#include <math.h>
#include <stdio.h>

#include "counting.h"
#include "folder.h"
#include "capacity.h"
#include "samples.h"

static const char *const growing[] = {
    "bloom:n=100,fpr=0.01,full=scale,seed=0x1",
    "blocked:n=100,fpr=0.001,full=scale,seed=0x2",
    "keyed(bloom:n=100,fpr=0.01,full=scale,seed=0x3)",
    "keyed(blocked:n=100,fpr=0.01,full=scale,seed=0x4,prf=aes)",
};

enum { GROWING = sizeof growing / sizeof growing[0], FIRST = 100 };

static uf_filter *build(const char *text, const uf_key *keys, size_t count, const uf_context *given)
{
    uf_context ctx = given ? *given : secret_context();
    uf_spec spec = spec_of(text);
    uf_filter *filter = NULL;
    uf_error why;
    ctx.secret = *text == 'k' ? secret_number(0) : NULL;
    assert_status(UF_OK, uf_build(&spec, keys, count, &ctx, &filter, &why), &why);
    return filter;
}

static unsigned levels(const uf_filter *filter)
{
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    return info.levels;
}

static double claimed(const uf_filter *filter)
{
    uf_claim claim = {.fpr = 0};
    uf_get_claim(filter, &claim, sizeof claim);
    return claim.fpr;
}

/* ---- growing ---- */

/* Whoever chooses keys can bring every level to its limit, also those that are not there yet. */
static void test_claims_of_limits(void **state)
{
    static const char *const specs[] = {
        "keyed(blocked:n=64,fpr=0.05,full=scale)", "keyed(blocked:n=80,fpr=0.0556,full=scale)",
        "keyed(blocked:n=400,fpr=0.000229,full=scale)", "keyed(bloom:n=64,fpr=0.2,full=scale)"};
    struct keys keys = keys_make("key", 15 * 400);
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        uf_filter *filter = build(specs[i], NULL, 0, NULL);
        uf_claim before, after;
        double sum = 0;
        uf_get_claim(filter, &before, sizeof before);
        for (size_t k = 0; levels(filter) < 5 && k < keys.count; k++)
            assert_status(UF_OK, uf_insert(filter, keys.key[k], NULL), NULL);
        for (unsigned level = 0; level < filter->children; level++)
            sum += filter->child[level]->ops->most_rate(filter->child[level]);
        uf_get_claim(filter, &after, sizeof after);
        assert_that(sum <= before.adversarial_fpr, "%s: %u levels take %g, claimed is %g", specs[i], levels(filter),
                    sum, before.adversarial_fpr);
        assert_true(fabs(after.adversarial_fpr - before.adversarial_fpr) <= 1e-9 * before.adversarial_fpr);
        uf_free(filter);
    }
    keys_free(&keys);
}

/* The first level has n keys, the next 2n, 4n, ...: after n (2^i - 1) keys the next one makes level i. */
static void test_levels(void **state)
{
    struct keys keys = keys_make("key", 65 * FIRST);
    (void)state;
    for (size_t g = 0; g < GROWING; g++) {
        uf_filter *filter = build(growing[g], NULL, 0, NULL);
        double sum = 0;
        for (unsigned i = 1; i <= 6; i++) {
            size_t from = FIRST * ((1U << (i - 1)) - 1), to = FIRST * ((1U << i) - 1);
            assert_status(UF_OK, uf_insert_many(filter, keys.key + from, to - from, NULL), NULL);
            assert_that(levels(filter) == i, "%s: %u levels after %zu keys", growing[g], levels(filter), to);
        }
        assert_status(UF_OK, uf_insert_many(filter, keys.key + 63 * FIRST, 2 * FIRST, NULL), NULL);
        assert_int_equal(levels(filter), 7); /* some of the first were taken for others, but not 200 */
        assert_int_equal(keys_found(filter, &keys), keys.count);
        for (unsigned i = 0; i < 7; i++) {
            uf_claim claim = {.fpr = 0};
            filter->child[i]->ops->claim(filter->child[i], &claim);
            sum += claim.fpr;
        }
        assert_true(sum <= claimed(filter) && claimed(filter) <= (g == 1 ? 0.001 : 0.01));
        assert_status(UF_OK, uf_insert_many(filter, keys.key, keys.count, NULL), NULL);
        assert_int_equal(levels(filter), 7); /* the same keys again take no room */
        uf_free(filter);
    }
    keys_free(&keys);
}

static void test_builds(void **state)
{
    struct keys keys = keys_make("key", 1000);
    (void)state;
    for (size_t g = 0; g < GROWING; g++)
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            uf_context ctx = UF_CONTEXT_INIT;
            ctx.threads = threads;
            uf_filter *filter = build(growing[g], keys.key, keys.count, &ctx);
            assert_int_equal(levels(filter), 4);
            assert_int_equal(keys_found(filter, &keys), keys.count);
            uf_free(filter);
        }
    uf_filter *filter = build("bloom:fpr=0.01,full=scale", keys.key, keys.count, NULL);
    assert_int_equal(levels(filter), 1); /* n was the number of keys */
    uf_free(filter);
    filter = build("bloom:bits=3000,n=100,full=scale", keys.key, keys.count, NULL);
    assert_int_equal(keys_found(filter, &keys), keys.count);
    uf_free(filter);
    keys_free(&keys);
}

/* Few keys are not worth a level, and a first one that nobody needs is small. */
static void test_few(void **state)
{
    struct keys keys = keys_make("key", 200);
    uf_filter *filter = build("bloom:n=0,fpr=0.01,full=scale", keys.key, 64, NULL);
    (void)state;
    assert_int_equal(levels(filter), 1);
    assert_status(UF_OK, uf_insert_many(filter, keys.key, keys.count, NULL), NULL);
    assert_int_equal(levels(filter), 3);
    assert_int_equal(keys_found(filter, &keys), keys.count);
    uf_free(filter);
    keys_free(&keys);
}

/* A level is made for a key that is new, not for one that is there, however full the last level is. */
static void test_known_keys_make_no_level(void **state)
{
    struct keys keys = keys_make("key", 3 * FIRST);
    (void)state;
    for (size_t g = 0; g < GROWING; g++) {
        uf_filter *filter = build(growing[g], NULL, 0, NULL);
        size_t next = 0;
        while (levels(filter) == 1) {
            assert_true(next < keys.count);
            assert_status(UF_OK, uf_insert(filter, keys.key[next++], NULL), NULL);
        }
        uf_free(filter);
        filter = build(growing[g], NULL, 0, NULL);
        for (size_t i = 0; i + 1 < next; i++) /* all but the one that was too many */
            assert_status(UF_OK, uf_insert(filter, keys.key[i], NULL), NULL);
        for (size_t i = 0; i + 1 < next; i++)
            assert_status(UF_OK, uf_insert(filter, keys.key[i], NULL), NULL);
        assert_int_equal(levels(filter), 1);
        assert_status(UF_OK, uf_insert(filter, keys.key[next - 1], NULL), NULL);
        assert_int_equal(levels(filter), 2);
        uf_free(filter);
    }
    keys_free(&keys);
}

/* The first level may be given by its size, in either way. */
static void test_sizes(void **state)
{
    struct keys keys = keys_make("key", 1000);
    uf_filter *one = build("bloom:n=100,bits=1000,seed=0x1,full=scale", keys.key, keys.count, NULL);
    uf_filter *two = build("bloom:n=100,bits_per_key=10,seed=0x1,full=scale", keys.key, keys.count, NULL);
    (void)state;
    struct bytes first = bytes_of(one, UF_FORMAT_UF), second = bytes_of(two, UF_FORMAT_UF);
    assert_true(bytes_equal(&first, &second));
    assert_int_equal(keys_found(two, &keys), keys.count);
    bytes_free(&first);
    bytes_free(&second);
    uf_free(one);
    uf_free(two);
    keys_free(&keys);
}

static void test_cannot(void **state)
{
    struct keys keys = keys_make("key", 300);
    uf_filter *chain = build(growing[0], keys.key, keys.count, NULL);
    uf_filter *plain = build("bloom:n=100,fpr=0.005,seed=0x1", keys.key, 100, NULL), *copy = NULL;
    uf_spec how = spec_of("ultra:epsilon=3");
    uf_error why;
    (void)state;
    assert_refused(UF_EUNSUPPORTED, uf_merge(chain, plain, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_merge(plain, chain, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_merge(chain, chain, &why), &why);
    assert_non_null(strstr(why.text, "full=scale"));
    assert_status(UF_EUNSUPPORTED, uf_tune(chain, UF_KNOB_SHARED, 1), NULL);
    assert_status(UF_EUNSUPPORTED, uf_remove(chain, keys.key[0], NULL), NULL);
    assert_refused(UF_EUNSUPPORTED, uf_release(chain, &how, NULL, &copy, &why), &why);
    assert_status(UF_OK, uf_tune(chain, UF_KNOB_EARLY_EXIT, 1), NULL);
    assert_int_equal(keys_found(chain, &keys), keys.count);
    uf_free(chain);
    uf_free(plain);
    keys_free(&keys);
}

/* ---- files ---- */

static void test_files(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "chain.uf");
    struct keys keys = keys_make("key", 1000), more = keys_make("more", 1000), probes = keys_make("probe", 5000);
    (void)state;
    for (size_t g = 0; g < GROWING; g++) {
        uf_filter *filter = build(growing[g], keys.key, keys.count, NULL), *back[2];
        uf_context ctx = secret_context();
        uf_error why;
        assert_status(UF_OK, uf_save(filter, path, UF_FORMAT_UF, &why), &why);
        for (unsigned i = 0; i < 2; i++) {
            assert_status(UF_OK, uf_load(path, i ? UF_MAP : UF_FORMAT_UF, &ctx, &back[i], &why), &why);
            assert_int_equal(keys_found(back[i], &keys), keys.count);
            assert_int_equal(keys_found(back[i], &probes), keys_found(filter, &probes));
            assert_int_equal(levels(back[i]), 4);
        }
        assert_status(UF_OK, uf_verify(back[1], &why), &why);
        assert_status(UF_EREADONLY, uf_insert(back[1], more.key[0], NULL), NULL);
        assert_status(UF_OK, uf_insert_many(back[0], more.key, more.count, NULL), NULL);
        assert_status(UF_OK, uf_insert_many(filter, more.key, more.count, NULL), NULL);
        struct bytes one = bytes_of(filter, UF_FORMAT_UF), two = bytes_of(back[0], UF_FORMAT_UF);
        assert_true(bytes_equal(&one, &two)); /* it went on where it was */
        bytes_free(&one);
        bytes_free(&two);
        uf_free(filter);
        uf_free(back[0]);
        uf_free(back[1]);
    }
    folder_remove(&folder);
    keys_free(&keys);
    keys_free(&more);
    keys_free(&probes);
}

/* A twin of a plan starts with the same first level. */
static void test_twins(void **state)
{
    struct keys keys = keys_make("key", 1000);
    (void)state;
    for (size_t g = 0; g < GROWING; g++) {
        uf_filter *filter = build(growing[g], keys.key, keys.count, NULL);
        uf_spec plan, again;
        uf_get_plan(filter, &plan);
        assert_status(UF_OK, uf_plan(&plan, &again, NULL), NULL);
        assert_string_equal(plan.text, again.text);
        uf_filter *twin = build(plan.text, keys.key, keys.count, NULL);
        struct bytes one = bytes_of(filter, UF_FORMAT_UF), two = bytes_of(twin, UF_FORMAT_UF);
        assert_true(bytes_equal(&one, &two));
        bytes_free(&one);
        bytes_free(&two);
        uf_free(filter);
        uf_free(twin);
    }
    keys_free(&keys);
}

/* Every cut, and every byte changed: refused, or, where the header was sealed again, at worst another filter. */
static void test_damage(void **state)
{
    struct bytes file = sample_of("bloom:n=64,fpr=0.2,full=scale,seed=0x1", 400);
    uf_filter *filter;
    uf_error why;
    (void)state;
    for (size_t size = 0; size < file.size; size += size < 200 || size > 4090 ? 1 : 97)
        assert_true(is_format_error(uf_load_bytes(file.data, size, UF_FORMAT_UF, NULL, &filter, &why)));
    for (size_t at = 0; at < file.size; at++) {
        file.data[at] ^= 0x10;
        assert_true(is_format_error(uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &filter, &why)));
        file.data[at] ^= 0x10;
    }
    for (size_t at = 48; at < 400; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            unsigned char old = file.data[at];
            file.data[at] ^= (unsigned char)(1U << bit);
            reseal_header(file.data);
            int status = uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &filter, &why);
            assert_true(status == UF_OK || is_format_error(status) || status == UF_EKEY);
            if (status == UF_OK) {
                (void)uf_insert(filter, (uf_key){"key", 3}, NULL);
                assert_int_equal(uf_query(filter, (uf_key){"key", 3}), 1);
                uf_free(filter);
            }
            file.data[at] = old;
        }
    bytes_free(&file);
}

/* Levels that growing does not make: each is a header that someone sealed. */
static void test_made_up(void **state)
{
    enum { CHAIN = 48, CHAIN_NODE = 24 + 8, LEVEL = 24 + 20 }; /* a node with its count; a node with its params */
    struct bytes file = sample_of("bloom:n=64,fpr=0.2,full=scale,seed=0x1", 400);
    enum { ONE = CHAIN + CHAIN_NODE, TWO = ONE + LEVEL };
    static const struct {
        const char *what;
        size_t at;
        unsigned char value;
    } change[] = {
        {"a chain without levels", CHAIN + 16, 0},
        {"a chain that refuses", CHAIN + 22, 1},
        {"a chain that warns", CHAIN + 22, 0},
        {"more keys than the last level takes", CHAIN + 24 + 7, 1},
        {"a level of another kind", ONE, 2},
        {"a level with another seed", ONE + 8, 9},
        {"a level that refuses", ONE + 22, 1},
        {"a level of another capacity", ONE + 24, 65},
        {"a second level of another size", TWO + 24, 65},
        {"fewer bits in the second level", TWO + 32, 130},
        {"a chain in a chain", ONE, 32},
    };
    uf_filter *filter;
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &filter, &why), &why);
    assert_int_equal(levels(filter), 3);
    assert_true(file.data[CHAIN] == 32 && file.data[ONE] == 1 && file.data[TWO] == 1);
    uf_free(filter);
    for (size_t i = 0; i < sizeof change / sizeof change[0]; i++) {
        unsigned char old = file.data[change[i].at];
        file.data[change[i].at] = change[i].value;
        reseal_header(file.data);
        int status = uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &filter, &why);
        assert_that(status == UF_EFORMAT, "%s: %d", change[i].what, status);
        file.data[change[i].at] = old;
    }
    bytes_free(&file);
}

/* ---- memory ---- */

/* Each allocation of a growing insert fails in turn: the filter has what it had and the keys before, and goes on. */
static void test_no_memory(void **state)
{
    struct keys keys = keys_make("key", 350);
    (void)state;
    for (size_t g = 0; g < GROWING; g++)
        for (size_t fail_at = 1;; fail_at++) {
            struct counting counting = {.calls = 0};
            uf_context ctx = counting_context(&counting);
            uf_filter *filter = build(growing[g], keys.key, FIRST, &ctx);
            unsigned before = levels(filter);
            counting.fail_at = counting.calls + fail_at;
            int status = uf_insert_many(filter, keys.key + FIRST, keys.count - FIRST, NULL);
            size_t found = keys_found(filter, &keys);
            counting.fail_at = 0;
            assert_true(status == UF_OK || status == UF_ENOMEM);
            assert_true(levels(filter) >= before && (status == UF_OK ? found == keys.count : found >= FIRST));
            keys.count = FIRST;
            assert_int_equal(keys_found(filter, &keys), FIRST);
            keys.count = 350;
            assert_status(UF_OK, uf_insert_many(filter, keys.key, keys.count, NULL), NULL);
            assert_int_equal(keys_found(filter, &keys), keys.count);
            uf_free(filter);
            assert_true(counting_is_clean(&counting));
            if (status == UF_OK) {
                assert_true(fail_at > 3);
                break;
            }
        }
    keys_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_of_limits),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_builds),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_known_keys_make_no_level),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_cannot),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_twins),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_made_up),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
