/* SPDX-License-Identifier: MIT */
/*
 * Test-and-add and columns of keys, for every kind through the public header only. What uf_add* says about a stream of
 * keys, with duplicates near and far, must be what a twin of the filter says that is asked and then given one key at a
 * time; the bytes of both must be the same, whatever the shape of the keys, the batches, the policy or the path.
 */
#include <stdio.h>

#include "check.h"
#include "keys.h"
#include "paths.h"
#include "random.h"
#include "subjects.h"

enum { STREAM = 2400, IDS = 900, CAPACITY_N = 300, MOST_BYTES = 24, REMOVED = 40 };

/* ---- a stream of keys: of one width, or of any when width is 0 ---- */

struct stream {
    size_t width;
    unsigned char *bytes; /* all keys back to back */
    uf_key key[STREAM];
    int32_t narrow[STREAM + 1];
    unsigned char wide[8 * (STREAM + 1) + 1]; /* 8 bytes each, and not aligned */
};

static uf_key key_of(uint64_t id, size_t width, unsigned char *out)
{
    uint64_t state = id + 1;
    size_t size = width ? width : (size_t)(id % MOST_BYTES); /* some have none */
    (void)random_bytes(&state, out, size);
    return (uf_key){out, size};
}

static void put_offset(struct stream *stream, size_t i, int64_t offset)
{
    stream->narrow[i] = (int32_t)offset;
    memcpy(stream->wide + 1 + 8 * i, &offset, 8);
}

/* A third repeat a key of the last dozen, so that many tiles have one twice. */
static struct stream *stream_make(size_t width, uint64_t ids)
{
    struct stream *stream = malloc(sizeof *stream);
    uint64_t seed = width, id[STREAM];
    int64_t used = 3; /* the first offset need not be 0 */
    stream->width = width;
    stream->bytes = malloc(3 + STREAM * MOST_BYTES);
    put_offset(stream, 0, used);
    for (size_t i = 0; i < STREAM; i++) {
        size_t back = 1 + (size_t)random_below(&seed, 12);
        id[i] = i >= back && random_below(&seed, 3) == 0 ? id[i - back] : random_below(&seed, ids);
        stream->key[i] = key_of(id[i], width, stream->bytes + used);
        used += (int64_t)stream->key[i].size;
        put_offset(stream, i + 1, used);
    }
    return stream;
}

static void stream_free(struct stream *stream)
{
    free(stream->bytes);
    free(stream);
}

/* ---- filters to add to ---- */

/* An empty filter of the subject with this policy, or NULL when it has none such, or the machine lacks the path. */
static uf_filter *open_filter(const struct subject *subject, const char *full, int cpu)
{
    uf_context ctx = context_of(subject);
    uf_spec spec = spec_of(with(subject, "n=%d", CAPACITY_N));
    uf_filter *filter = NULL;
    ctx.learning = subject_learning();
    ctx.cpu = cpu;
    if (full && uf_spec_set(&spec, "full", full, NULL) != UF_OK)
        return NULL;
    int status = uf_build(&spec, NULL, 0, &ctx, &filter, NULL);
    assert_true(status == UF_OK || (status == UF_EUNSUPPORTED && cpu != UF_CPU_AUTO));
    return filter;
}

/* Some keys of the stream were in it and were removed, where the kind can do that. */
static void start_filter(uf_filter *filter, const struct stream *stream)
{
    if (uf_remove_many(filter, NULL, 0, NULL, NULL) != UF_OK)
        return;
    assert_status(UF_OK, uf_insert_many(filter, stream->key, REMOVED, NULL), NULL);
    (void)uf_remove_many(filter, stream->key, REMOVED / 2, NULL, NULL);
}

static int takes_inserts(uf_filter *filter)
{
    uf_error why;
    int status = uf_insert_many(filter, NULL, 0, &why);
    assert_true(status == UF_OK ? !why.text[0] : why.text[0] != 0);
    return status == UF_OK;
}

/* ---- ways to add, and what they must say ---- */

enum way { ONE, MANY, FIXED, NARROW, WIDE, WAYS };

static int add_some(uf_filter *filter, const struct stream *stream, size_t from, size_t count, int8_t *verdict,
                    enum way way, uf_error *why)
{
    switch (way) {
    case ONE:
        verdict[0] = (int8_t)uf_add(filter, stream->key[from], why);
        return verdict[0] < 0 ? verdict[0] : UF_OK;
    case FIXED:
        return uf_add_fixed(filter, stream->key[from].data, stream->width, count, verdict, why);
    case NARROW:
        return uf_add_offsets(filter, stream->bytes, stream->narrow + from, 4, count, verdict, why);
    case WIDE:
        return uf_add_offsets(filter, stream->bytes, stream->wide + 1 + 8 * from, 8, count, verdict, why);
    default:
        return uf_add_many(filter, stream->key + from, count, verdict, why);
    }
}

static int worst_of(const int8_t *verdict, size_t count)
{
    int worst = UF_OK;
    for (size_t i = 0; i < count; i++)
        if (verdict[i] < 0 && worst != UF_EFULL)
            worst = verdict[i];
    return worst;
}

/* Batches of 1, 2, 4, 7, ... keys, the largest of several slices and tiles. */
static void add_stream(uf_filter *filter, const struct stream *stream, enum way way, int8_t *verdict)
{
    uf_error why;
    for (size_t done = 0, step = 1; done < STREAM; step = way == ONE ? 1 : step * 3 / 2 + 1) {
        size_t now = step < STREAM - done ? step : STREAM - done;
        int status = add_some(filter, stream, done, now, verdict + done, way, &why);
        assert_status(worst_of(verdict + done, now), status, &why);
        assert_int_equal(why.status, status);
        assert_true((status == UF_OK) == !why.text[0]);
        done += now;
    }
}

/* The exact model: ask, then insert. */
static void model_stream(uf_filter *filter, const struct stream *stream, int8_t *verdict)
{
    for (size_t i = 0; i < STREAM; i++) {
        int known = uf_query(filter, stream->key[i]), status = uf_insert(filter, stream->key[i], NULL);
        verdict[i] = (int8_t)(status < 0 ? status : !known);
    }
}

/* What is the same for all filters of one comparison. */
struct trial {
    const struct subject *subject;
    const char *full; /* NULL: what the subject has */
    const struct stream *stream;
    int shared;
    uf_filter *model;
    int8_t want[STREAM];
};

/* Empty but for what start_filter does; NULL as open_filter says, or when it cannot be shared. */
static uf_filter *trial_filter(const struct trial *trial, int cpu)
{
    uf_filter *filter = open_filter(trial->subject, trial->full, cpu);
    if (!filter)
        return NULL;
    int status = takes_inserts(filter) ? UF_OK : UF_EUNSUPPORTED;
    if (status == UF_OK) {
        start_filter(filter, trial->stream);
        status = trial->shared ? uf_tune(filter, UF_KNOB_SHARED, 1) : UF_OK;
    }
    if (status == UF_OK)
        return filter;
    uf_free(filter);
    return NULL;
}

static void check_way(const struct trial *trial, enum way way, int cpu)
{
    static int8_t got[STREAM];
    char what[300];
    uf_filter *filter = trial_filter(trial, cpu);
    if (!filter)
        return;
    (void)snprintf(what, sizeof what, "%s, full=%s, width %zu, way %d, path %d, shared %d", trial->subject->spec,
                   trial->full ? trial->full : "-", trial->stream->width, way, cpu, trial->shared);
    add_stream(filter, trial->stream, way, got);
    for (size_t i = 0; i < STREAM; i++)
        assert_that(trial->want[i] == got[i], "%s: key %zu was %d and not %d", what, i, got[i], trial->want[i]);
    assert_same_bytes(trial->model, filter, what);
    uf_free(filter);
}

static void check_trial(struct trial *trial)
{
    size_t width = trial->stream->width;
    trial->model = trial_filter(trial, UF_CPU_AUTO);
    if (!trial->model)
        return;
    model_stream(trial->model, trial->stream, trial->want);
    for (int way = 0; way < WAYS; way++)
        if (way != FIXED || width)
            check_way(trial, (enum way)way, UF_CPU_AUTO);
    for (int cpu = UF_CPU_SCALAR; cpu <= LAST_PATH; cpu++) {
        check_way(trial, width ? FIXED : MANY, cpu);
        check_way(trial, ONE, cpu);
    }
    uf_free(trial->model);
}

static void check_policy(const struct subject *subject, const char *full, size_t width)
{
    struct stream *stream = stream_make(width, IDS);
    for (int shared = 0; shared <= 1; shared++) {
        struct trial trial = {.subject = subject, .full = full, .stream = stream, .shared = shared};
        check_trial(&trial);
    }
    stream_free(stream);
}

static void check_add(const struct subject *subject)
{
    static const char *const policies[] = {NULL, "refuse", "warn", "scale"};
    static const size_t widths[] = {0, 5, 8};
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++)
        for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
            check_policy(subject, policies[p], widths[w]);
}

/* The control: asking a batch first and inserting it then tells the second of two equal keys that it is new. The same
 * comparison must find that. */
static void check_broken_add_is_found(const struct subject *subject)
{
    static int8_t want[STREAM];
    uint8_t known[STREAM];
    struct stream *stream = stream_make(8, IDS);
    uf_filter *model = open_filter(subject, NULL, UF_CPU_AUTO), *filter = open_filter(subject, NULL, UF_CPU_AUTO);
    size_t wrong = 0;
    uf_info info;
    uf_get_info(model, &info, sizeof info);
    if (takes_inserts(model) && info.capacity >= CAPACITY_N) { /* learned ones without keys may be of none */
        model_stream(model, stream, want);
        for (size_t done = 0; done < STREAM; done += 16) {
            uf_query_many(filter, stream->key + done, 16, known + done);
            (void)uf_insert_many(filter, stream->key + done, 16, NULL);
        }
        for (size_t i = 0; i < STREAM; i++)
            wrong += want[i] >= 0 && want[i] != !known[i];
        assert_that(wrong > 20, "%s: verdicts from before a duplicate differ %zu times", subject->spec, wrong);
    }
    uf_free(model);
    uf_free(filter);
    stream_free(stream);
}

/* Against a set of names: what was added is known, and few others are. */
static void check_add_against_a_set(const struct subject *subject)
{
    enum { N = 5000 };
    static int8_t verdict[2 * N];
    struct keys keys = keys_make("key", 2 * N);
    uf_filter *filter = build(with(subject, "n=%d", 2 * N), NULL, 0, NULL);
    uf_error why;
    size_t fresh = 0;
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    if (takes_inserts(filter) && info.capacity >= N) {
        assert_status(UF_OK, uf_add_many(filter, keys.key, N, verdict, &why), &why);
        for (size_t i = 0; i < N; i++)
            fresh += verdict[i] == 1;
        assert_that(10 * fresh > 8 * N, "%zu of %d keys were new", fresh, N); /* fpr is at most 0.3 when it is full */
        assert_status(UF_OK, uf_add_many(filter, keys.key, N, verdict, &why), &why);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(verdict[i], 0);
        assert_status(UF_OK, uf_add_many(filter, keys.key + N, N, NULL, &why), &why); /* nobody asks */
        assert_int_equal(keys_found(filter, &keys), 2 * N);
    }
    uf_free(filter);
    keys_free(&keys);
}

/* Kinds that take none say which they are, and touch nothing. */
static void check_refusals(const struct subject *subject)
{
    struct keys keys = keys_make("key", 100);
    int8_t verdict[3] = {7, 7, 7};
    uf_filter *filter = build(subject->spec, keys.key, keys.count, NULL);
    uf_error why;
    if (!takes_inserts(filter)) {
        assert_refused(UF_EUNSUPPORTED, uf_add(filter, keys.key[0], &why), &why);
        assert_refused(UF_EUNSUPPORTED, uf_add_many(filter, keys.key, 3, verdict, &why), &why);
        assert_refused(UF_EUNSUPPORTED, uf_insert_fixed(filter, "abc", 1, 3, &why), &why);
        assert_non_null(strstr(why.text, "takes no inserts"));
        assert_refused(UF_EUNSUPPORTED, uf_remove(filter, keys.key[0], &why), &why);
        assert_non_null(strstr(why.text, "cannot remove"));
        assert_true(verdict[0] == 7 && verdict[1] == 7 && verdict[2] == 7);
    }
    uf_free(filter);
    keys_free(&keys);
}

/* ---- columns ---- */

static uf_filter *build_column(const struct subject *subject, const struct stream *stream, int offset_bytes)
{
    uf_context ctx = context_of(subject);
    uf_spec spec = spec_of(with(subject, "n=%d", STREAM));
    uf_builder *builder;
    uf_filter *filter;
    uf_error why;
    const unsigned char *offsets = offset_bytes == 4 ? (const void *)stream->narrow : stream->wide + 1;
    ctx.learning = subject_learning();
    assert_status(UF_OK, uf_builder_new(&spec, &ctx, &builder, &why), &why);
    for (size_t done = 0; done < STREAM; done += STREAM / 4)
        assert_status(UF_OK,
                      uf_builder_add_offsets(builder, stream->bytes, offsets + done * (size_t)offset_bytes,
                                             offset_bytes, STREAM / 4, &why),
                      &why);
    assert_status(UF_OK, uf_builder_finish(builder, &filter, &why), &why);
    uf_builder_free(builder);
    return filter;
}

static void check_answers(const uf_filter *filter, const struct stream *stream)
{
    uint8_t want[STREAM], got[STREAM + 1];
    for (size_t count = 0; count <= STREAM; count += 1 + count / 2) {
        got[count] = 7;
        uf_query_many(filter, stream->key, count, want);
        assert_status(UF_OK, uf_query_offsets(filter, stream->bytes, stream->narrow, 4, count, got), NULL);
        assert_memory_equal(want, got, count);
        memset(got, 9, count);
        assert_status(UF_OK, uf_query_offsets(filter, stream->bytes, stream->wide + 1, 8, count, got), NULL);
        assert_memory_equal(want, got, count);
        assert_int_equal(got[count], 7);
    }
}

static void check_columns(const struct subject *subject)
{
    struct stream *stream = stream_make(0, IDS), *others = stream_make(0, UINT64_C(1) << 40);
    uf_filter *array = build(with(subject, "n=%d", STREAM), stream->key, STREAM, NULL);
    uf_filter *narrow = build_column(subject, stream, 4), *wide = build_column(subject, stream, 8);
    assert_same_bytes(array, narrow, "an array of keys and a column with offsets of 4 bytes");
    assert_same_bytes(array, wide, "an array of keys and a column with offsets of 8 bytes");
    check_answers(array, stream);
    check_answers(array, others);
    if (takes_inserts(array)) {
        uf_error why;
        int status = uf_insert_many(array, others->key, 500, NULL);
        assert_int_equal(uf_insert_offsets(narrow, others->bytes, others->narrow, 4, 500, &why), status);
        assert_int_equal(uf_insert_offsets(wide, others->bytes, others->wide + 1, 8, 500, &why), status);
        assert_same_bytes(array, narrow, "keys inserted from an array and from a column");
        assert_same_bytes(array, wide, "keys inserted from an array and from a wide column");
    }
    uf_free(array);
    uf_free(narrow);
    uf_free(wide);
    stream_free(stream);
    stream_free(others);
}

static void refuse_column(uf_filter *filter, const void *bytes, const void *offsets, int width, size_t count)
{
    uint8_t answers[4] = {7, 7, 7, 7};
    int8_t verdict[4] = {7, 7, 7, 7};
    uf_error why;
    assert_status(UF_EINVAL, uf_query_offsets(filter, bytes, offsets, width, count, answers), NULL);
    assert_refused(UF_EINVAL, uf_add_offsets(filter, bytes, offsets, width, count, verdict, &why), &why);
    assert_refused(UF_EINVAL, uf_insert_offsets(filter, bytes, offsets, width, count, &why), &why);
    for (size_t i = 0; i < 4; i++)
        assert_true(answers[i] == 7 && verdict[i] == 7);
}

static void check_bad_columns(const struct subject *subject)
{
    const int32_t fall[] = {0, 2, 1, 4}, negative[] = {-1, 0, 1, 2}, fine[] = {0, 1, 1, 4};
    const int64_t late[] = {0, 2, 4, 3}, huge[] = {0, 1, 2, INT64_MIN};
    struct keys keys = keys_make("key", 100);
    uf_filter *filter = build(subject->spec, keys.key, keys.count, NULL);
    uf_filter *same = build(subject->spec, keys.key, keys.count, NULL);
    uint8_t answers[4];
    refuse_column(filter, "abcd", fall, 4, 3);
    refuse_column(filter, "abcd", negative, 4, 3);
    refuse_column(filter, "abcd", late, 8, 3);
    refuse_column(filter, "abcd", huge, 8, 3);
    refuse_column(filter, "abcd", fine, 2, 3);
    refuse_column(filter, "abcd", NULL, 4, 3);
    refuse_column(filter, NULL, fine, 4, 3);
    assert_same_bytes(filter, same, "columns that were refused");
    assert_status(UF_OK, uf_query_offsets(filter, "abcd", fine, 4, 3, answers), NULL);
    assert_int_equal(answers[1], uf_query(filter, (uf_key){"", 0}));
    assert_status(UF_OK, uf_query_offsets(filter, NULL, NULL, 8, 0, answers), NULL);
    assert_status(UF_OK, uf_query_offsets(filter, NULL, (const int32_t[]){0, 0}, 4, 1, answers), NULL);
    assert_int_equal(answers[0], uf_query(filter, (uf_key){"", 0}));
    uf_free(filter);
    uf_free(same);
    keys_free(&keys);
}

int main(void)
{
    const struct check checks[] = {
        {"verdicts are those of a query before the insert", check_add},
        {"control: verdicts from before a duplicate are found", check_broken_add_is_found},
        {"what was added is known", check_add_against_a_set},
        {"kinds that take no inserts say so", check_refusals},
        {"columns are as arrays", check_columns},
        {"bad columns are refused", check_bad_columns},
    };
    return subjects_run("conform_add", checks, sizeof checks / sizeof checks[0]);
}
