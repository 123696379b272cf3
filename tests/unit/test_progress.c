/* SPDX-License-Identifier: MIT */
/* uf_set_progress: told often enough; what is stopped leaves all as it was, and changes stay as far as they came. */
#include "progress.h"

#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "folder.h"
#include "keys.h"

static const char *const specs[] = {
    "bloom:n=2e6,fpr=0.01,seed=0x1",
    "blocked:n=2e6,fpr=0.01,seed=0x1",
    "blocked:n=2e6,full=refuse,seed=0x1",
    "counting:n=5e5,fpr=0.01,seed=0x1",
    "deletable:n=2e6,fpr=0.01,seed=0x1",
    "tombstone:n=2e6,removed=1e6,seed=0x1",
    "dcso:n=2e6,fpr=0.01",
};
enum { SPECS = sizeof specs / sizeof specs[0], HALF = 3000 };

struct stop {
    unsigned calls, at; /* stops in the at-th call; 0: never */
    uint64_t done, most_step;
};

static int told(void *arg, uint64_t done, uint64_t total)
{
    struct stop *stop = arg;
    assert_true(done > stop->done && done <= total);
    stop->most_step = done - stop->done > stop->most_step ? done - stop->done : stop->most_step;
    stop->done = done;
    return ++stop->calls == stop->at ? -7 : 0;
}

static uf_filter *built(const char *text, const uf_key *keys, size_t count, const uf_context *ctx)
{
    uf_spec spec = spec_of(text);
    uf_filter *filter;
    assert_status(UF_OK, uf_build(&spec, keys, count, ctx, &filter, NULL), NULL);
    return filter;
}

/* Merged slice by slice it is what it would be with all keys inserted; stopped anywhere it is what it was. */
static void test_merges(void **state)
{
    struct keys keys = keys_make("key", 2 * HALF);
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        struct counting counting = {0};
        uf_context ctx = counting_context(&counting);
        uf_filter *a = built(specs[i], keys.key, HALF, &ctx), *b = built(specs[i], keys.key + HALF, HALF, &ctx);
        uf_filter *all = built(specs[i], keys.key, 2 * HALF, NULL);
        struct bytes before = bytes_of(a, UF_FORMAT_UF), want = bytes_of(all, UF_FORMAT_UF);
        uf_error why;
        int status = UF_ECANCELED;
        for (unsigned at = 1; status == UF_ECANCELED; at++) {
            struct stop stop = {.at = at};
            uf_set_progress(a, told, &stop);
            status = uf_merge(a, b, &why);
            uf_set_progress(a, NULL, NULL);
            struct bytes now = bytes_of(a, UF_FORMAT_UF);
            assert_that(bytes_equal(&now, status == UF_OK ? &want : &before), "%s, stopped in call %u", specs[i], at);
            assert_true(why.reason == (status == UF_OK ? 0 : -7) && stop.most_step <= PROGRESS_STEP);
            assert_true(status == UF_ECANCELED || at > 3); /* there were several */
            bytes_free(&now);
        }
        assert_status(UF_OK, status, &why);
        bytes_free(&before);
        bytes_free(&want);
        uf_free(a);
        uf_free(b);
        uf_free(all);
        assert_true(counting_is_clean(&counting));
    }
    keys_free(&keys);
}

static void test_loads(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    uf_filter *filter = built(specs[0], NULL, 0, NULL), *mapped;
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_save(filter, path, UF_FORMAT_UF, &why), &why);
    uf_free(filter);
    for (unsigned threads = 1; threads <= 3; threads++)
        for (unsigned at = 1; at <= 3; at++) {
            struct counting counting = {0};
            struct stop stop = {.at = at};
            uf_context ctx = counting_context(&counting);
            uf_loader *loader;
            uf_filter *none = NULL;
            ctx.threads = threads;
            ctx.progress = told;
            ctx.progress_arg = &stop;
            assert_refused(UF_ECANCELED, uf_load(path, UF_FORMAT_UF, &ctx, &none, &why), &why);
            assert_true(why.reason == -7 && stop.calls == at && stop.most_step <= PROGRESS_STEP && !none);
            stop = (struct stop){.at = at};
            assert_status(UF_OK, uf_loader_new(&ctx, UF_FORMAT_UF, &loader, &why), &why);
            assert_refused(UF_ECANCELED, uf_loader_feed(loader, file.data, file.size, &why), &why);
            assert_true(why.reason == -7 && stop.calls == at);
            uf_loader_free(loader);
            assert_true(counting_is_clean(&counting));
        }
    assert_status(UF_OK, uf_load(path, UF_MAP, NULL, &mapped, &why), &why);
    struct stop stop = {.at = 2};
    uf_set_progress(mapped, told, &stop);
    assert_refused(UF_ECANCELED, uf_verify(mapped, &why), &why);
    stop = (struct stop){.at = 0};
    assert_status(UF_OK, uf_verify(mapped, &why), &why);
    assert_true(stop.calls > 2);
    uf_free(mapped);
    bytes_free(&file);
    folder_remove(&folder);
}

/* ---- writing ---- */

static int take_some(void *arg, const void *data, size_t bytes)
{
    struct stop *stop = arg;
    (void)data, (void)bytes;
    return ++stop->calls == stop->at ? 9 : 0;
}

/* Stopped by the one who takes the bytes, then by the one who is told, in each of their calls; and told to the end. */
static void test_writes(void **state)
{
    static const unsigned formats[] = {UF_FORMAT_UF, UF_FORMAT_COMPACT, UF_FORMAT_DCSO};
    uf_filter *filter = built("dcso:n=60000,fpr=0.01", NULL, 0, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        int status = UF_EIO;
        uf_error why;
        if (formats[i] == UF_FORMAT_DCSO) /* the one that has a place for it */
            assert_status(UF_OK, uf_set_attached(filter, "attached", 8, NULL), NULL);
        for (unsigned at = 1; status == UF_EIO; at++) {
            struct stop sink = {.at = at};
            status = uf_write(filter, formats[i], take_some, &sink, &why);
            assert_true(why.reason == (status == UF_OK ? 0 : 9) && (status == UF_EIO || at > 3));
        }
        assert_status(UF_OK, status, &why);
        status = UF_ECANCELED;
        for (unsigned at = 1; status == UF_ECANCELED; at++) {
            struct stop sink = {.at = 0}, stop = {.at = at};
            uf_set_progress(filter, told, &stop);
            status = uf_write(filter, formats[i], take_some, &sink, &why);
            assert_true(why.reason == (status == UF_OK ? 0 : -7) && (status == UF_ECANCELED || at > 2));
        }
        assert_status(UF_OK, status, &why);
        uf_set_progress(filter, NULL, NULL);
    }
    uf_free(filter);
}

/* ---- changes ---- */

enum { SLICE_KEYS = 1 << 14, MANY = 3 * SLICE_KEYS + 100, REACHED = 2 * SLICE_KEYS };

/* The keys of a test in all shapes that batches have: "k" and six digits. */
struct column {
    char *text;
    uf_key *key;
    int32_t *offsets;
};
enum { WIDTH = 7 };

static struct column column_make(void)
{
    struct column column = {malloc(MANY * WIDTH + 1), calloc(MANY, sizeof(uf_key)), calloc(MANY + 1, sizeof(int32_t))};
    assert_true(column.text && column.key && column.offsets);
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(column.text + i * WIDTH, WIDTH + 1, "k%06d", i);
        column.key[i] = (uf_key){column.text + i * WIDTH, WIDTH};
        column.offsets[i + 1] = (i + 1) * WIDTH;
    }
    return column;
}

static void column_free(struct column *column)
{
    free(column->text);
    free(column->key);
    free(column->offsets);
}

enum change { INSERT_MANY, INSERT_FIXED, INSERT_OFFSETS, ADD_MANY, ADD_FIXED, ADD_OFFSETS, CHANGES };

static int change(enum change how, uf_filter *filter, const struct column *keys, size_t count, int8_t *verdict,
                  uf_error *why)
{
    switch (how) {
    case INSERT_MANY:
        return uf_insert_many(filter, keys->key, count, why);
    case INSERT_FIXED:
        return uf_insert_fixed(filter, keys->text, WIDTH, count, why);
    case INSERT_OFFSETS:
        return uf_insert_offsets(filter, keys->text, keys->offsets, 4, count, why);
    case ADD_MANY:
        return uf_add_many(filter, keys->key, count, verdict, why);
    case ADD_FIXED:
        return uf_add_fixed(filter, keys->text, WIDTH, count, verdict, why);
    default:
        return uf_add_offsets(filter, keys->text, keys->offsets, 4, count, verdict, why);
    }
}

static void assert_bytes(const uf_filter *filter, const struct bytes *want, const char *spec, int how)
{
    struct bytes have = bytes_of(filter, UF_FORMAT_UF);
    assert_that(bytes_equal(&have, want), "%s, change %d", spec, how);
    bytes_free(&have);
}

/* Stopped after two slices, the filter is one with the keys of those. */
static void check_stopped(const char *spec, enum change how, const struct column *keys, int8_t *verdict)
{
    struct stop stop = {.at = 2};
    uf_filter *filter = built(spec, NULL, 0, NULL), *part = built(spec, NULL, 0, NULL);
    uf_error why;
    (void)change(how, part, keys, REACHED, verdict, NULL);
    struct bytes want = bytes_of(part, UF_FORMAT_UF);
    memset(verdict, 99, MANY);
    uf_set_progress(filter, told, &stop);
    assert_refused(UF_ECANCELED, change(how, filter, keys, MANY, verdict, &why), &why);
    uf_set_progress(filter, NULL, NULL);
    assert_true(why.reason == -7 && stop.calls == 2 && stop.done == REACHED);
    for (size_t i = 0; how >= ADD_MANY && i < MANY; i++)
        assert_true(i < REACHED ? verdict[i] != 99 && verdict[i] != UF_ECANCELED : verdict[i] == UF_ECANCELED);
    assert_bytes(filter, &want, spec, (int)how);
    bytes_free(&want);
    uf_free(filter);
    uf_free(part);
}

/* Told to the end, the filter and what the call says are those without a callback. */
static void check_told(const char *spec, enum change how, const struct column *keys, int8_t *verdict)
{
    int8_t *unheard = malloc(MANY);
    struct stop stop = {0};
    uf_filter *filter = built(spec, NULL, 0, NULL), *quiet = built(spec, NULL, 0, NULL);
    uf_error why, other;
    assert_non_null(unheard);
    int status = change(how, quiet, keys, MANY, unheard, &other);
    struct bytes want = bytes_of(quiet, UF_FORMAT_UF);
    uf_set_progress(filter, told, &stop);
    assert_status(status, change(how, filter, keys, MANY, verdict, &why), &why);
    assert_true(stop.calls == 3 && stop.most_step == SLICE_KEYS && why.reason == 0);
    assert_string_equal(why.text, other.text);
    assert_true(how < ADD_MANY || !memcmp(verdict, unheard, MANY));
    uf_set_progress(filter, NULL, NULL);
    assert_bytes(filter, &want, spec, (int)how);
    bytes_free(&want);
    uf_free(filter);
    uf_free(quiet);
    free(unheard);
}

static void test_changes(void **state)
{
    static const char *const some[] = {
        "blocked:n=1e5,seed=0x1",
        "bloom:n=2e4,full=refuse,seed=0x1",
        "blocked:n=1e4,full=scale,seed=0x1",
        "tombstone:n=1e5,removed=100,seed=0x1",
        "dcso:n=1e5,fpr=0.01",
    };
    struct column keys = column_make();
    int8_t *verdict = malloc(MANY);
    (void)state;
    assert_non_null(verdict);
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        for (enum change how = INSERT_MANY; how < CHANGES; how++) {
            check_stopped(some[i], how, &keys, verdict);
            check_told(some[i], how, &keys, verdict);
        }
    free(verdict);
    column_free(&keys);
}

/* One slice is over before anybody could stop it. */
static void test_small_changes(void **state)
{
    struct column keys = column_make();
    struct stop stop = {.at = 1};
    uf_filter *filter = built("counting:n=1e5,seed=0x1", NULL, 0, NULL);
    uf_error why;
    (void)state;
    uf_set_progress(filter, told, &stop);
    assert_status(UF_OK, uf_insert_many(filter, keys.key, SLICE_KEYS, &why), &why);
    assert_status(UF_OK, uf_remove_many(filter, keys.key, SLICE_KEYS, NULL, &why), &why);
    assert_int_equal(stop.calls, 0);
    assert_refused(UF_ECANCELED, uf_insert_many(filter, keys.key, SLICE_KEYS + 1, &why), &why);
    uf_free(filter);
    column_free(&keys);
}

static void test_removals(void **state)
{
    static const char *const some[] = {"counting:n=1e5,seed=0x1", "counting:n=1e5,full=refuse,seed=0x1",
                                       "tombstone:n=1e5,seed=0x1"};
    struct column keys = column_make();
    uint8_t *removed = malloc(MANY);
    uf_error why;
    (void)state;
    assert_non_null(removed);
    for (size_t i = 0; i < 2 * sizeof some / sizeof some[0]; i++) {
        struct stop stop = {.at = 2};
        uf_filter *filter = built(some[i / 2], keys.key, MANY, NULL), *part = built(some[i / 2], keys.key, MANY, NULL);
        assert_status(UF_OK, uf_remove_many(part, keys.key, REACHED, NULL, &why), &why);
        struct bytes want = bytes_of(part, UF_FORMAT_UF);
        memset(removed, 99, MANY);
        uf_set_progress(filter, told, &stop);
        int status = i % 2 ? uf_remove_fixed(filter, keys.text, WIDTH, MANY, removed, &why)
                           : uf_remove_many(filter, keys.key, MANY, removed, &why);
        assert_refused(UF_ECANCELED, status, &why);
        assert_true(why.reason == -7 && stop.calls == 2 && stop.done == REACHED);
        for (size_t j = 0; j < MANY; j++)
            assert_int_equal(removed[j], j < REACHED);
        uf_set_progress(filter, NULL, NULL);
        assert_bytes(filter, &want, some[i / 2], -1);
        bytes_free(&want);
        uf_free(filter);
        uf_free(part);
    }
    free(removed);
    column_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merges),  cmocka_unit_test(test_loads),         cmocka_unit_test(test_writes),
        cmocka_unit_test(test_changes), cmocka_unit_test(test_small_changes), cmocka_unit_test(test_removals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
