/* SPDX-License-Identifier: MIT */
/*
 * What every kind must do as bytes, through the public header only: loaded in pieces of any size, used where it lies,
 * copied, measured, and, where it is keyed, kept without its key. Wrong bytes: unit/test_loader.c, unit/test_view.c.
 */
#include <errno.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "folder.h"
#include "keys.h"
#include "secrets.h"
#include "subjects.h"

enum { KEYS = 20000 };

/* Several chunks and, for learned kinds, several filters. */
static uf_filter *some_filter(const struct subject *subject, size_t n)
{
    struct keys keys = keys_make("key", n);
    const char *spec = subject->epsilon > 0 ? with(subject, "n=%zu", n) : subject->spec;
    uf_filter *filter = build(spec, keys.key, n, NULL);
    keys_free(&keys);
    return filter;
}

/* ---- in pieces ---- */

static uf_filter *load_in_pieces(const struct bytes *file, size_t step, const uf_context *ctx, unsigned how)
{
    uf_loader *loader = NULL;
    uf_filter *filter = NULL;
    uf_error why;
    assert_status(UF_OK, uf_loader_new(ctx, how, &loader, &why), &why);
    for (size_t at = 0; at < file->size; at += step) {
        size_t bytes = file->size - at < step ? file->size - at : step;
        assert_status(UF_OK, uf_loader_feed(loader, file->data + at, bytes, &why), &why);
    }
    assert_status(UF_OK, uf_loader_finish(loader, &filter, &why), &why);
    assert_true(why.status == UF_OK && !why.text[0]);
    uf_loader_free(loader);
    return filter;
}

static void check_pieces(const struct subject *subject)
{
    static const size_t steps[] = {1, 7, 4096, 65536, SIZE_MAX};
    uf_filter *filter = some_filter(subject, test_small() ? KEYS / 10 : KEYS);
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_context ctx = context_of(subject);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        uf_filter *back = load_in_pieces(&file, steps[i], &ctx, UF_FORMAT_UF);
        assert_same_bytes(filter, back, "loaded in pieces");
        assert_same_answers(filter, back, "loaded in pieces");
        uf_free(back);
    }
    bytes_free(&file);
    uf_free(filter);
}

/* ---- where it lies ---- */

static void check_view(const struct subject *subject)
{
    uf_filter *filter = some_filter(subject, KEYS / 10), *view = NULL;
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_context ctx = context_of(subject);
    uf_error why;
    unsigned char *memory = aligned_alloc(64, (file.size + 128) / 64 * 64);
    assert_non_null(memory);
    if (!views_work())
        assert_refused(UF_EUNSUPPORTED, uf_load_view(memory, file.size, &ctx, &view, &why), &why);
    for (size_t at = 0; views_work() && at < 64; at += UF_VIEW_ALIGN * 3) {
        memcpy(memory + at, file.data, file.size);
        assert_status(UF_OK, uf_load_view(memory + at, file.size, &ctx, &view, &why), &why);
        assert_same_answers(filter, view, "a view");
        assert_same_bytes(filter, view, "a view");
        assert_status(UF_OK, uf_verify(view, &why), &why);
        int status = uf_insert(view, (uf_key){"new", 3}, NULL);
        assert_true(status == UF_EREADONLY || status == UF_EUNSUPPORTED);
        uf_free(view);
        assert_int_equal(memcmp(memory + at, file.data, file.size), 0);
    }
    free(memory);
    bytes_free(&file);
    uf_free(filter);
}

/* ---- copies ---- */

/* Equal, in memory of the context, and untouched by what happens to the other. */
static void check_copy(const struct subject *subject)
{
    struct counting counting = {0};
    uf_filter *filter = some_filter(subject, KEYS / 10), *copy = NULL;
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_context counted = context_of(subject);
    uf_sizes sizes;
    uf_error why;
    counted.allocator = counting_allocator(&counting);
    assert_status(UF_OK, uf_copy(filter, &counted, &copy, &why), &why);
    assert_same_bytes(filter, copy, "a copy");
    assert_same_answers(filter, copy, "a copy");
    assert_int_equal(uf_get_sizes(copy, &sizes, sizeof sizes), UF_OK);
    assert_int_equal(sizes.memory_bytes, counting.live);
    int status = uf_insert(copy, (uf_key){"of the copy alone", 17}, NULL);
    struct bytes after = bytes_of(filter, UF_FORMAT_UF);
    assert_true(bytes_equal(&file, &after));
    uf_free(filter);
    if (status == UF_OK)
        assert_int_equal(uf_query(copy, (uf_key){"of the copy alone", 17}), 1);
    uf_free(copy);
    assert_true(counting_is_clean(&counting));

    bytes_free(&after);
    bytes_free(&file);
}

static void check_copy_of_view(const struct subject *subject)
{
    uf_filter *filter = some_filter(subject, KEYS / 10), *copy = NULL, *view = NULL;
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_context ctx = context_of(subject);
    uf_error why;
    unsigned char *memory = aligned_alloc(64, (file.size + 63) / 64 * 64);
    memcpy(memory, file.data, file.size);
    if (views_work()) {
        assert_status(UF_OK, uf_load_view(memory, file.size, &ctx, &view, &why), &why);
        assert_status(UF_OK, uf_copy(view, NULL, &copy, &why), &why);
        uf_free(view);
        memset(memory, 0, file.size);
        assert_same_bytes(filter, copy, "a copy of a view that is gone");
        assert_same_answers(filter, copy, "a copy of a view that is gone");
        uf_free(copy);
    }
    free(memory);
    bytes_free(&file);
    uf_free(filter);
}

/* ---- sizes ---- */

static void check_sizes(const struct subject *subject)
{
    uf_filter *filter = some_filter(subject, KEYS);
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_sizes sizes;
    uf_header header;
    uf_info info;
    uf_error why;
    char id[UF_KEY_ID_SIZE];
    uf_get_info(filter, &info, sizeof info);
    uf_get_key_id(filter, id);
    assert_int_equal(uf_get_sizes(filter, &sizes, sizeof sizes), UF_OK);
    assert_int_equal(sizes.payload_bytes, info.bytes);
    assert_int_equal(sizes.file_bytes, file.size);
    assert_int_equal(sizes.capacity, info.capacity);
    assert_int_equal(sizes.levels, info.levels);
    assert_true(sizes.memory_bytes > sizes.payload_bytes && sizes.memory_bytes < sizes.payload_bytes + 64 * 4096);
    assert_status(UF_OK, uf_read_header(file.data, UF_HEADER_BYTES, &header, sizeof header, &why), &why);
    assert_string_equal(header.kind, info.kind);
    assert_true(header.file_bytes == file.size && header.memory_bytes == sizes.memory_bytes);
    assert_int_equal(header.keyed, id[0] != 0);
    assert_string_equal(header.key_id, id);
    bytes_free(&file);
    uf_free(filter);
}

/* Exact, or for ribbon the most. */
static void check_planned_sizes(const struct subject *subject)
{
    static const size_t counts[] = {0, 1, 1000, 8192, 8193, 100000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        size_t n = test_small() && counts[i] > 20000 ? 20000 : counts[i];
        uf_spec spec = spec_of(with(subject, "n=%zu", n));
        uf_sizes planned, built;
        struct keys keys = keys_make("key", n);
        uf_error why;
        int status = uf_plan_sizes(&spec, &planned, sizeof planned, &why);
        if (kind_is_learned(subject->kind)) {
            assert_refused(UF_EUNSUPPORTED, status, &why);
            keys_free(&keys);
            continue;
        }
        assert_status(UF_OK, status, &why);
        uf_filter *filter = build(spec.text, keys.key, n, NULL);
        assert_int_equal(uf_get_sizes(filter, &built, sizeof built), UF_OK);
        assert_int_equal(planned.capacity, built.capacity);
        assert_int_equal(planned.levels, built.levels);
        if (strcmp(subject->kind, "ribbon") != 0 || n <= 8192) {
            assert_int_equal(planned.payload_bytes, built.payload_bytes);
            assert_int_equal(planned.file_bytes, built.file_bytes);
            assert_int_equal(planned.memory_bytes, built.memory_bytes);
        } else {
            assert_true(planned.payload_bytes >= built.payload_bytes);
            assert_true((double)planned.payload_bytes < 1.03 * (double)built.payload_bytes + 4096);
            assert_true(planned.file_bytes >= built.file_bytes && planned.memory_bytes >= built.memory_bytes);
        }
        uf_free(filter);
        keys_free(&keys);
    }
}

/* ---- without the key ---- */

static void assert_all_maybe(const uf_filter *filter)
{
    struct keys probes = keys_make("probe", 300);
    unsigned char packed[300 * 8];
    uint8_t answers[300];
    memset(packed, 7, sizeof packed);
    assert_int_equal(keys_found(filter, &probes), 300);
    for (size_t width = 0; width <= 8; width++) {
        memset(answers, 0, sizeof answers);
        uf_query_fixed(filter, packed, width, 300, answers);
        for (size_t i = 0; i < 300; i++)
            assert_int_equal(answers[i], 1);
    }
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(uf_query(filter, probes.key[i]), 1);
    keys_free(&probes);
}

static void assert_locked(uf_filter *locked, const uf_filter *filter, const char *what)
{
    uf_spec how = spec_of("ultra:epsilon=3");
    uf_filter *out = NULL, *twin = NULL;
    uf_error why;
    assert_int_equal(uf_is_locked(locked), 1);
    assert_all_maybe(locked);
    assert_same_bytes(filter, locked, what);
    assert_int_equal(uf_insert(locked, (uf_key){"a", 1}, NULL), UF_EKEY);
    assert_int_equal(uf_insert_fixed(locked, "abcd", 1, 4, NULL), UF_EKEY);
    assert_int_equal(uf_remove(locked, (uf_key){"a", 1}, NULL), UF_EKEY);
    assert_status(UF_OK, uf_copy(filter, NULL, &twin, &why), &why);
    assert_refused(UF_EKEY, uf_merge(locked, twin, &why), &why);
    assert_refused(UF_EKEY, uf_merge(twin, locked, &why), &why);
    assert_refused(UF_EKEY, uf_release(locked, &how, NULL, &out, &why), &why);
    uf_free(twin);
}

static void check_locked(const struct subject *subject)
{
    uf_filter *filter = some_filter(subject, KEYS / 10), *locked = NULL, *copy = NULL;
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_context ctx = context_of(subject), other = ctx;
    uf_error why;
    char print[2][33];
    ctx.secret = NULL;
    assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_WITHOUT_KEY, &ctx, &locked, &why), &why);
    ctx.secret = subject->secret;
    if (!subject->secret) { /* nothing to lock */
        assert_int_equal(uf_is_locked(locked), 0);
        assert_same_answers(filter, locked, "a filter without a key");
        assert_status(UF_OK, uf_unlock(locked, NULL, &why), &why);
    } else {
        assert_locked(locked, filter, "a locked filter");
        assert_status(UF_OK, uf_fingerprint(filter, print[0], &why), &why);
        assert_status(UF_OK, uf_fingerprint(locked, print[1], &why), &why);
        assert_string_equal(print[0], print[1]);
        other.secret = secret_number(1);
        assert_refused(UF_EKEY, uf_unlock(locked, &other, &why), &why);
        assert_refused(UF_EKEY, uf_unlock(locked, NULL, &why), &why);
        assert_locked(locked, filter, "a filter that another key did not unlock");
        assert_status(UF_OK, uf_copy(locked, NULL, &copy, &why), &why);
        assert_locked(copy, filter, "a copy of a locked filter");
        assert_status(UF_OK, uf_unlock(copy, &ctx, &why), &why);
        assert_same_answers(filter, copy, "a copy, unlocked");
        assert_int_equal(uf_is_locked(locked), 1);
        assert_status(UF_OK, uf_unlock(locked, &ctx, &why), &why);
        assert_int_equal(uf_is_locked(locked), 0);
        assert_same_answers(filter, locked, "unlocked");
        uf_filter *pieces = load_in_pieces(&file, 1000, NULL, UF_WITHOUT_KEY);
        assert_locked(pieces, filter, "locked, in pieces");
        uf_free(pieces);
    }
    uf_free(copy);
    uf_free(locked);
    bytes_free(&file);
    uf_free(filter);
}

/* ---- stopping ---- */

struct stop {
    uint64_t last, total;
    unsigned calls, at; /* stops in the at-th call */
};

static int told(void *arg, uint64_t done, uint64_t total)
{
    struct stop *stop = arg;
    assert_true(done <= total && (done >= stop->last || stop->calls == 0));
    stop->last = done;
    stop->total = total;
    return ++stop->calls == stop->at ? 42 : 0;
}

static void assert_stopped(int status, const uf_error *why)
{
    assert_refused(UF_ECANCELED, status, why);
    assert_int_equal(why->reason, 42);
}

static void check_stopping(const struct subject *subject)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    uf_filter *filter = some_filter(subject, KEYS), *copy = NULL, *twin = NULL;
    struct bytes file = bytes_of(filter, UF_FORMAT_UF), none = {NULL, 0, 0};
    uf_context ctx = context_of(subject);
    struct stop stop = {0, 0, 0, 1};
    uf_error why;
    char print[33];
    file_put_all(path, "before", 6);
    uf_set_progress(filter, told, &stop);
    assert_stopped(uf_save(filter, path, UF_FORMAT_UF, &why), &why);
    struct bytes after = file_get_all(path);
    assert_true(after.size == 6 && !memcmp(after.data, "before", 6));
    assert_int_equal(folder_entries(&folder), 1);
    bytes_free(&after);
    stop = (struct stop){0, 0, 0, 1};
    assert_stopped(uf_write(filter, UF_FORMAT_UF, bytes_put, &none, &why), &why);
    stop = (struct stop){0, 0, 0, 1};
    assert_stopped(uf_fingerprint(filter, print, &why), &why);
    stop = (struct stop){0, 0, 0, 1};
    assert_stopped(uf_copy(filter, NULL, &copy, &why), &why);
    assert_null(copy);
    stop = (struct stop){0, 0, 0, 0}; /* never: it ends at the total */
    assert_status(UF_OK, uf_save(filter, path, UF_FORMAT_UF, &why), &why);
    assert_true(stop.calls > 0 && stop.last == stop.total && !why.text[0] && !why.reason);
    stop = (struct stop){0, 0, 0, 0};
    assert_status(UF_OK, uf_copy(filter, NULL, &twin, &why), &why);
    stop = (struct stop){0, 0, 0, 1};
    int status = uf_merge(filter, twin, &why);
    assert_true(status == UF_ECANCELED || status == UF_EUNSUPPORTED);
    struct bytes left = bytes_of(twin, UF_FORMAT_UF);
    uf_set_progress(filter, NULL, NULL);
    struct bytes now = bytes_of(filter, UF_FORMAT_UF);
    assert_true(bytes_equal(&now, &file) && bytes_equal(&left, &file));
    stop = (struct stop){0, 0, 0, 1};
    ctx.progress = told;
    ctx.progress_arg = &stop;
    assert_stopped(uf_load(path, UF_FORMAT_UF, &ctx, &copy, &why), &why);
    assert_null(copy);
    bytes_free(&left);
    bytes_free(&now);
    bytes_free(&file);
    bytes_free(&none);
    uf_free(twin);
    uf_free(filter);
    folder_remove(&folder);
}

/* ---- bytes that change under a filter ---- */

static void spoil(unsigned char *bytes, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = (unsigned char)(*state >> 56);
    }
}

/* Everything that reads the words. What comes out may be wrong. */
static void use_all(const uf_filter *filter, const struct keys *keys, const uf_context *ctx)
{
    uf_filter *copy = NULL;
    uf_info info;
    uf_error why;
    (void)keys_found(filter, keys);
    for (size_t i = 0; i < keys->count; i++)
        (void)uf_query(filter, keys->key[i]);
    uf_get_info(filter, &info, sizeof info);
    assert_status(UF_OK, uf_copy(filter, ctx, &copy, &why), &why);
    (void)keys_found(copy, keys);
    for (int again = 0; again < 2; again++)
        if (uf_merge(copy, filter, NULL) == UF_OK)
            (void)uf_insert_many(copy, keys->key, keys->count, NULL);
    struct bytes bytes = bytes_of(copy, UF_FORMAT_UF);
    bytes_free(&bytes);
    uf_free(copy);
}

/* A view of exactly as many bytes as there are, so that a sanitizer sees the first one beyond. Another process that
 * writes to a mapped file does the same to a mapping. */
static void check_changed_bytes(const struct subject *subject)
{
    uf_filter *filter = some_filter(subject, KEYS / 10), *view = NULL;
    struct keys keys = keys_make("probe", 512);
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_context ctx = context_of(subject);
    uint64_t state = 14;
    uf_error why;
    for (int round = 0; views_work() && round < 4; round++) {
        unsigned char *memory = NULL;
        assert_int_equal(posix_memalign((void **)&memory, 64, file.size), 0);
        memcpy(memory, file.data, file.size);
        assert_status(UF_OK, uf_load_view(memory, file.size, &ctx, &view, &why), &why);
        if (round)
            spoil(memory + UF_HEADER_BYTES, file.size - UF_HEADER_BYTES, &state);
        else
            memset(memory, 0xff, file.size);
        use_all(view, &keys, &ctx);
        uf_free(view);
        free(memory);
    }
    bytes_free(&file);
    keys_free(&keys);
    uf_free(filter);
}

/* ---- what a sink returns ---- */

static int refuse(void *arg, const void *data, size_t bytes)
{
    unsigned *left = arg;
    (void)data, (void)bytes;
    return (*left)-- ? 0 : 1234;
}

static void check_sinks(const struct subject *subject)
{
    uf_filter *filter = some_filter(subject, 1000);
    uf_error why;
    for (unsigned calls = 0; calls < 3; calls++) {
        unsigned left = calls;
        assert_refused(UF_EIO, uf_write(filter, UF_FORMAT_UF, refuse, &left, &why), &why);
        assert_int_equal(why.reason, 1234);
    }
    assert_refused(UF_EIO, uf_save(filter, "/nowhere at all/a.uf", UF_FORMAT_UF, &why), &why);
    assert_int_equal(why.reason, ENOENT);
    assert_int_equal(strncmp(why.text, "/nowhere at all/a.uf cannot be created", 37), 0);
    uf_free(filter);
}

int main(void)
{
    static const struct check checks[] = {
        {"pieces", check_pieces}, {"view", check_view},
        {"copy", check_copy},     {"copy of a view", check_copy_of_view},
        {"sizes", check_sizes},   {"planned sizes", check_planned_sizes},
        {"locked", check_locked}, {"stopping", check_stopping},
        {"sinks", check_sinks},   {"changed bytes", check_changed_bytes},
    };
    size_t count = sizeof checks / sizeof checks[0];
    int failed = subjects_run("files", checks, count);
    return failed ? failed : subjects_run_private("private files", checks, count);
}
