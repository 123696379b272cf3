/* SPDX-License-Identifier: MIT */
/*
 * Filters whose keys expire: what a rotation drops and keeps, verdicts, full generations, files and what is wrong with
 * files. Their rate is measured in tests/stat/stat_chain.c.
 */
#include "window.h"

#include <math.h>
#include <stdio.h>

#include "capacity.h"
#include "counting.h"
#include "folder.h"
#include "samples.h"

static const char *const windows[] = {
    "bloom:n=100,fpr=0.0001,window=3,seed=0x1",
    "blocked:n=100,fpr=0.0001,window=3,seed=0x2,full=refuse",
    "keyed(bloom:n=100,fpr=0.0001,window=3,seed=0x3)",
    "keyed(blocked:n=100,fpr=0.0001,window=3,seed=0x4,prf=aes,full=warn)",
};

enum { WINDOWS = sizeof windows / sizeof windows[0], DAY = 100, DAYS = 3 };

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

static void rotate(uf_filter *filter)
{
    uf_error why;
    assert_status(UF_OK, uf_rotate(filter, &why), &why);
}

/* How many of the keys of one day it answers to. */
static size_t found(const uf_filter *filter, const struct keys *keys, size_t day)
{
    uint8_t in[DAY];
    size_t sum = 0;
    uf_query_many(filter, keys->key + day * DAY, DAY, in);
    for (size_t i = 0; i < DAY; i++)
        sum += in[i];
    return sum;
}

/* A key is there for as many rotations as there are generations, but the last; built or inserted. */
static void test_expiry(void **state)
{
    struct keys keys = keys_make("key", 8 * DAY);
    (void)state;
    for (size_t w = 0; w < WINDOWS; w++) {
        uf_filter *filter = build(windows[w], keys.key, DAY, NULL);
        uf_claim claim = {.fpr = 0};
        for (size_t day = 1; day < 8; day++) {
            rotate(filter);
            assert_status(UF_OK, uf_insert_many(filter, keys.key + day * DAY, DAY, NULL), NULL);
            for (size_t old = 0; old <= day; old++)
                assert_that(day - old < DAYS ? found(filter, &keys, old) == DAY : found(filter, &keys, old) <= 1,
                            "%s: day %zu has %zu of day %zu", windows[w], day, found(filter, &keys, old), old);
        }
        uf_get_claim(filter, &claim, sizeof claim);
        assert_true(claim.fpr <= 0.0001);
        uf_free(filter);
    }
    keys_free(&keys);
}

/* 1 only when no generation had it; one that comes again lives on. One by one, and in a batch. */
static void test_verdicts(void **state)
{
    struct keys keys = keys_make("key", 2 * DAY);
    (void)state;
    for (size_t w = 0; w < WINDOWS; w++)
        for (int batch = 0; batch < 2; batch++) {
            uf_filter *filter = build(windows[w], keys.key, 50, NULL);
            int8_t verdict[60];
            rotate(filter);
            if (batch)
                assert_status(UF_OK, uf_add_many(filter, keys.key, 60, verdict, NULL), NULL);
            for (size_t i = 0; i < 60 && !batch; i++)
                verdict[i] = (int8_t)uf_add(filter, keys.key[i], NULL);
            for (size_t i = 0; i < 60; i++)
                assert_that(verdict[i] == (i >= 50), "%s: key %zu: %d", windows[w], i, verdict[i]);
            assert_int_equal(uf_add(filter, keys.key[0], NULL), 0); /* the newest has it */
            rotate(filter);
            rotate(filter); /* the first one is gone */
            for (size_t i = 0; i < 60; i++)
                assert_int_equal(uf_query(filter, keys.key[i]), 1);
            rotate(filter);
            assert_true(found(filter, &keys, 0) <= 1);
            uf_free(filter);
        }
    keys_free(&keys);
}

/* full=refuse is about the newest generation: n keys fit after each rotation, and no more. */
static void test_newest_is_full(void **state)
{
    struct keys keys = keys_make("key", 8 * DAY);
    uf_filter *filter = build(windows[1], keys.key, DAY, NULL);
    uf_error why;
    uf_info info;
    (void)state;
    for (size_t day = 1; day < 6; day++) {
        assert_refused(UF_EFULL, uf_insert(filter, keys.key[(day + 1) * DAY], &why), &why);
        assert_non_null(strstr(why.text, "rotate"));
        assert_int_equal(uf_add(filter, keys.key[(day - 1) * DAY], NULL), 0);
        rotate(filter);
        if (day == 1) /* known to an older generation only, and in room again */
            assert_int_equal(uf_add(filter, keys.key[0], NULL), 0);
        uf_get_info(filter, &info, sizeof info);
        assert_true(info.count == (day == 1) && info.generations == DAYS && info.capacity == DAYS * DAY);
        assert_status(UF_OK, uf_insert_many(filter, keys.key + day * DAY, DAY - (day == 1), NULL), NULL);
    }
    uf_free(filter);
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec spec = spec_of(windows[1]);
    assert_refused(UF_EFULL, uf_build(&spec, keys.key, 2 * DAY, &ctx, &filter, &why), &why);
    keys_free(&keys);
}

static void test_generations(void **state)
{
    struct keys keys = keys_make("key", 2 * DAY);
    uf_filter *filter = build(windows[0], keys.key, DAY, NULL), *plain = build("bloom:n=10", NULL, 0, NULL);
    uf_generation generation[UF_MOST_GENERATIONS];
    uf_error why;
    (void)state;
    rotate(filter);
    assert_status(UF_OK, uf_insert_many(filter, keys.key + DAY, DAY / 2, NULL), NULL);
    assert_status(UF_OK, uf_get_generations(filter, generation, sizeof generation[0], UF_MOST_GENERATIONS), NULL);
    assert_true(fabs(generation[0].count_estimate - DAY / 2) < 10 && fabs(generation[1].count_estimate - DAY) < 10);
    assert_true(generation[2].count_estimate == 0 && generation[2].fill == 0 && generation[2].fpr_now == 0);
    assert_status(UF_EUNSUPPORTED, uf_get_generations(plain, generation, sizeof generation[0], 1), NULL);
    assert_refused(UF_EUNSUPPORTED, uf_rotate(plain, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_merge(filter, plain, &why), &why);
    assert_non_null(strstr(why.text, "window"));
    assert_status(UF_EUNSUPPORTED, uf_tune(filter, UF_KNOB_SHARED, 1), NULL);
    assert_status(UF_OK, uf_tune(filter, UF_KNOB_EARLY_EXIT, 1), NULL);
    assert_int_equal(found(filter, &keys, 0), DAY);
    uf_free(filter);
    uf_free(plain);
    keys_free(&keys);
}

static void test_specs(void **state)
{
    static const char *const wrong[] = {
        "bloom:n=10,window=1",    "bloom:n=10,window=33", "blocked:n=10,window=2,full=scale",
        "counting:n=10,window=2", "ribbon:window=2",      "bloom:n=10,window=x"};
    uf_error why;
    uf_spec plan, again;
    uf_sizes sizes;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(UF_EINVAL, uf_spec_parse(wrong[i], &plan, &why), &why);
    for (size_t w = 0; w < WINDOWS; w++) {
        uf_filter *filter = build(windows[w], NULL, 0, NULL), *twin;
        uf_get_plan(filter, &plan);
        assert_status(UF_OK, uf_plan(&plan, &again, NULL), NULL);
        assert_string_equal(plan.text, again.text);
        twin = build(plan.text, NULL, 0, NULL);
        struct bytes one = bytes_of(filter, UF_FORMAT_UF), two = bytes_of(twin, UF_FORMAT_UF);
        assert_true(bytes_equal(&one, &two));
        assert_status(UF_OK, uf_plan_sizes(&plan, &sizes, sizeof sizes, &why), &why);
        assert_true(sizes.file_bytes == one.size && sizes.capacity == DAYS * DAY);
        bytes_free(&one);
        bytes_free(&two);
        uf_free(filter);
        uf_free(twin);
    }
}

/* A file goes on where it was: rotated and filled after loading as without. Mapped, locked: it does not change. */
static void test_files(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "window.uf");
    struct keys keys = keys_make("key", 3 * DAY);
    uf_error why;
    (void)state;
    for (size_t w = 0; w < WINDOWS; w++) {
        uf_context ctx = secret_context();
        uf_filter *filter = build(windows[w], keys.key, DAY, NULL), *back, *map, *copy;
        rotate(filter);
        assert_status(UF_OK, uf_insert_many(filter, keys.key + DAY, DAY / 2, NULL), NULL);
        assert_status(UF_OK, uf_save(filter, path, UF_FORMAT_UF, &why), &why);
        assert_status(UF_OK, uf_load(path, UF_FORMAT_UF, &ctx, &back, &why), &why);
        assert_status(UF_OK, uf_load(path, UF_MAP, &ctx, &map, &why), &why);
        assert_refused(UF_EREADONLY, uf_rotate(map, &why), &why);
        assert_status(UF_OK, uf_copy(map, NULL, &copy, &why), &why);
        for (int i = 0; i < 3; i++) {
            uf_filter *one = i ? i == 1 ? back : copy : filter;
            assert_int_equal(found(one, &keys, 0) + found(one, &keys, 1), DAY + DAY / 2);
            assert_status(UF_OK, uf_insert_many(one, keys.key + 2 * DAY, DAY / 2, NULL), NULL);
            rotate(one);
            assert_status(UF_OK, uf_insert_many(one, keys.key + DAY, DAY, NULL), NULL);
        }
        struct bytes one = bytes_of(filter, UF_FORMAT_UF), two = bytes_of(back, UF_FORMAT_UF),
                     three = bytes_of(copy, UF_FORMAT_UF);
        assert_true(bytes_equal(&one, &two) && bytes_equal(&one, &three));
        bytes_free(&one);
        bytes_free(&two);
        bytes_free(&three);
        uf_free(filter);
        uf_free(back);
        uf_free(map);
        uf_free(copy);
    }
    uf_filter *locked;
    assert_status(UF_OK, uf_load(path, UF_WITHOUT_KEY, NULL, &locked, &why), &why);
    assert_refused(UF_EKEY, uf_rotate(locked, &why), &why);
    uf_free(locked);
    folder_remove(&folder);
    keys_free(&keys);
}

/* The most generations fit into a header, whatever else is there. */
static void test_most(void **state)
{
    struct keys keys = keys_make("key", DAY);
    uf_filter *filter = build("keyed(bloom:n=100,window=32,seed=0x1)", keys.key, DAY, NULL);
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    (void)state;
    assert_int_equal(found(filter, &keys, 0), DAY);
    bytes_free(&bytes);
    uf_free(filter);
    keys_free(&keys);
}

/* Generations that are none: each is a header that someone sealed. */
static void test_made_up(void **state)
{
    enum { WINDOW = 48, NODE = 24, PART = 24 + 20, ONE = WINDOW + NODE, TWO = ONE + PART };
    struct bytes file = sample_of("bloom:n=64,fpr=0.2,window=2,seed=0x1", 64);
    static const struct {
        const char *what;
        size_t at;
        unsigned char value;
    } change[] = {
        {"a window without generations", WINDOW + 16, 0}, {"a window with one", WINDOW + 16, 1},
        {"a window that grows", WINDOW + 22, 2},          {"a chain of equal levels", WINDOW, 32},
        {"a generation of another kind", ONE, 2},         {"a generation with another seed", TWO + 8, 9},
        {"a generation that refuses", TWO + 22, 1},       {"a generation of another capacity", TWO + 24, 65},
        {"a generation with fewer bits", TWO + 32, 1},    {"a window in a window", ONE, 33},
    };
    uf_filter *filter;
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &filter, &why), &why);
    assert_true(file.data[WINDOW] == 33 && file.data[ONE] == 1 && file.data[TWO] == 1);
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

/* Each allocation of a build fails in turn: nothing is left over. */
static void test_no_memory(void **state)
{
    struct keys keys = keys_make("key", DAY);
    int status = UF_ENOMEM;
    (void)state;
    for (size_t fail_at = 1; status != UF_OK; fail_at++) {
        struct counting counting = {.calls = 0, .fail_at = fail_at};
        uf_context ctx = counting_context(&counting);
        uf_spec spec = spec_of(windows[0]);
        uf_filter *filter = NULL;
        status = uf_build(&spec, keys.key, DAY, &ctx, &filter, NULL);
        assert_true(status == UF_OK || status == UF_ENOMEM);
        uf_free(filter);
        assert_true(counting_is_clean(&counting));
    }
    keys_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expiry),      cmocka_unit_test(test_verdicts), cmocka_unit_test(test_newest_is_full),
        cmocka_unit_test(test_generations), cmocka_unit_test(test_specs),    cmocka_unit_test(test_files),
        cmocka_unit_test(test_most),        cmocka_unit_test(test_made_up),  cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
