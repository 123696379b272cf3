/* SPDX-License-Identifier: MIT */
/*
 * build/builder_merge and build/builder_bytes: builders that do not fit together, bytes that are cut, altered or
 * forged, callbacks that stop, memory that runs out. What they give when all goes well is in tests/conform_builders.c.
 */
#define UF_EXPERIMENTAL /* uf_builder_write, uf_builder_read */
#include "bytes.h"
#include "capacity.h"
#include "check.h"
#include "checksum.h"
#include "counting.h"
#include "filter.h"
#include "keys.h"
#include "secrets.h"
#include "subjects.h"

/* As builder_bytes.c says. */
enum { FORM_AT = 12, KEYS_AT = 16, STAMP_AT = 24, SPEC_AT = 208, SUM_AT = 720, HEAD = 728, PIECE = 4096 * 16 };

static const char *const hashes_spec = "blocked:fpr=0.01,seed=0x5eed", *const filter_spec = "bloom:n=20,seed=0x5eed",
                         *const keyed_spec = "keyed(blocked:fpr=0.01,seed=0x5eed)";

static uf_builder *new_builder(const char *text, const uf_context *given)
{
    uf_context ctx = subject_context();
    uf_spec spec = spec_of(text);
    uf_builder *builder = NULL;
    uf_error why;
    ctx.secret = subject_secret(text);
    assert_status(UF_OK, uf_builder_new(&spec, given ? given : &ctx, &builder, &why), &why);
    return builder;
}

static uf_builder *builder_of(const char *text, size_t count, const uf_context *ctx)
{
    struct keys keys = keys_make("key", count);
    uf_builder *builder = new_builder(text, ctx);
    assert_status(UF_OK, uf_builder_add(builder, keys.key, count, NULL), NULL);
    keys_free(&keys);
    return builder;
}

static struct bytes bytes_of_builder(const char *text, size_t count)
{
    struct bytes bytes = {NULL, 0, 0};
    uf_builder *builder = builder_of(text, count, NULL);
    uf_error why;
    assert_status(UF_OK, uf_builder_write(builder, bytes_put, &bytes, &why), &why);
    uf_builder_free(builder);
    return bytes;
}

static int read_as(const char *text, const void *data, size_t bytes, uf_error *why)
{
    uf_context ctx = subject_context();
    uf_spec spec = spec_of(text);
    uf_builder *builder = NULL;
    ctx.secret = subject_secret(text);
    int status = uf_builder_read(&spec, data, bytes, &ctx, &builder, why);
    assert_int_equal(status == UF_OK, builder != NULL);
    uf_builder_free(builder);
    return status;
}

/* ---- filters inside that were altered ---- */

/* Builders remove nothing: what bytes have more of than the filter takes comes to no filter. */
static void test_forged_removals(void **state)
{
    static const char *const text = "tombstone:n=500,removed=50,full=refuse,seed=0x5eed";
    struct bytes bytes = bytes_of_builder(text, 400);
    struct keys keys = keys_make("key", 400);
    uf_spec spec = spec_of(text);
    uf_filter *twin = build(text, keys.key, keys.count, NULL), *filter = NULL;
    uf_builder *builder = NULL;
    uf_error why;
    (void)state;
    twin->capacity.policy = FULL_WARN;
    (void)uf_remove_many(twin, keys.key, 200, NULL, NULL);
    twin->capacity.policy = FULL_REFUSE;
    struct bytes inside = bytes_of(twin, UF_FORMAT_UF);
    assert_int_equal(bytes.size, HEAD + inside.size);
    memcpy(bytes.data + HEAD, inside.data, inside.size);
    assert_status(UF_OK, uf_builder_read(&spec, bytes.data, bytes.size, NULL, &builder, &why), &why);
    assert_refused(UF_EFULL, uf_builder_finish(builder, &filter, &why), &why);
    uf_builder_free(builder);
    uf_free(twin);
    bytes_free(&bytes);
    bytes_free(&inside);
    keys_free(&keys);
}

/* ---- builders that do not fit ---- */

static void refuse_pair(const char *a, const char *b, const char *word)
{
    uf_builder *into = builder_of(a, 10, NULL), *from = builder_of(b, 10, NULL);
    uf_filter *filter;
    uf_error why;
    assert_refused(UF_EMISMATCH, uf_builder_merge(into, from, &why), &why);
    assert_that(strstr(why.text, word) != NULL, "%s and %s: '%s' does not say %s", a, b, why.text, word);
    assert_status(UF_OK, uf_builder_finish(into, &filter, &why), &why); /* both are as they were */
    uf_free(filter);
    assert_status(UF_OK, uf_builder_finish(from, &filter, &why), &why);
    uf_free(filter);
    uf_builder_free(into);
    uf_builder_free(from);
}

static void test_other_specs(void **state)
{
    (void)state;
    refuse_pair("bloom:n=100,seed=0x1", "bloom:n=200,seed=0x1", "n (100 against 200)");
    refuse_pair("bloom:n=100,seed=0x1", "bloom:n=100,seed=0x2", "seed");
    refuse_pair("bloom:n=100", "bloom:n=100", "seed"); /* each draws its own */
    refuse_pair("bloom:seed=0x1", "blocked:seed=0x1", "bloom and blocked");
    refuse_pair("bloom:seed=0x1", "bloom:n=10,seed=0x1", "n (none against 10)");
    refuse_pair("bloom:n=10,seed=0x1", "bloom:seed=0x1", "n (10 against none)");
    refuse_pair("bloom:seed=0x1", "keyed(bloom:seed=0x1)", "keyed");
    refuse_pair("keyed(bloom:seed=0x1,prf=aes)", "keyed(bloom:seed=0x1,prf=siphash)", "prf");
}

static void test_numbers_may_be_spelled_differently(void **state)
{
    uf_builder *into = builder_of("bloom:n=1000,fpr=0.01,seed=0x1", 10, NULL);
    uf_builder *from = builder_of("bloom:fpr=1e-2,n=1e3,seed=0x0001", 10, NULL);
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_builder_merge(into, from, &why), &why);
    uf_builder_free(into);
    uf_builder_free(from);
}

static void test_other_keys(void **state)
{
    uf_context ctx = UF_CONTEXT_INIT;
    uf_builder *out = NULL;
    uf_spec spec = spec_of(keyed_spec);
    struct bytes bytes = bytes_of_builder(keyed_spec, 10);
    uf_error why;
    (void)state;
    ctx.secret = secret_number(1);
    uf_builder *into = builder_of(keyed_spec, 10, NULL), *from = builder_of(keyed_spec, 10, &ctx);
    assert_refused(UF_EMISMATCH, uf_builder_merge(into, from, &why), &why);
    assert_non_null(strstr(why.text, "different keys"));
    assert_refused(UF_EKEY, uf_builder_read(&spec, bytes.data, bytes.size, &ctx, &out, &why), &why);
    ctx.secret = NULL;
    assert_refused(UF_EKEY, uf_builder_read(&spec, bytes.data, bytes.size, &ctx, &out, &why), &why);
    assert_null(out);
    bytes_free(&bytes);
    uf_builder_free(into);
    uf_builder_free(from);
}

static double first_score(void *arg, uf_key key)
{
    (void)arg;
    return (double)key.size;
}

static void test_other_models(void **state)
{
    const char *text = "partition:fpr=0.01,seed=0x1";
    uf_learning learning = *subject_learning();
    uf_context ctx = subject_context();
    struct bytes bytes = {NULL, 0, 0};
    uf_error why;
    (void)state;
    learning.model = NULL;
    learning.score = first_score;
    ctx.learning = &learning;
    uf_builder *into = builder_of(text, 10, NULL), *from = builder_of(text, 10, &ctx);
    assert_refused(UF_EMISMATCH, uf_builder_merge(into, from, &why), &why);
    assert_non_null(strstr(why.text, "model"));
    assert_refused(UF_EUNSUPPORTED, uf_builder_write(into, bytes_put, &bytes, &why), &why);
    uf_builder_free(into);
    uf_builder_free(from);
    bytes = bytes_of_builder(hashes_spec, 10);
    assert_refused(UF_EUNSUPPORTED, read_as(text, bytes.data, bytes.size, &why), &why);
    bytes_free(&bytes);
}

static void test_arguments(void **state)
{
    uf_builder *into = builder_of(hashes_spec, 10, NULL), *from = builder_of(hashes_spec, 10, NULL), *out = NULL;
    struct bytes bytes = {NULL, 0, 0};
    uf_spec spec = spec_of(hashes_spec);
    uf_filter *filter;
    uf_error why;
    (void)state;
    assert_refused(UF_EINVAL, uf_builder_merge(into, into, &why), &why);
    assert_refused(UF_EINVAL, uf_builder_merge(into, NULL, &why), &why);
    assert_refused(UF_EINVAL, uf_builder_merge(NULL, into, &why), &why);
    assert_status(UF_EINVAL, uf_builder_get_spec(NULL, &spec), NULL);
    assert_status(UF_EINVAL, uf_builder_get_spec(into, NULL), NULL);
    assert_refused(UF_EINVAL, uf_builder_write(NULL, bytes_put, &bytes, &why), &why);
    assert_refused(UF_EINVAL, uf_builder_write(into, NULL, &bytes, &why), &why);
    assert_refused(UF_EINVAL, uf_builder_read(NULL, "a", 1, NULL, &out, &why), &why);
    assert_refused(UF_EINVAL, uf_builder_read(&spec, NULL, 1, NULL, &out, &why), &why);
    assert_refused(UF_EINVAL, uf_builder_read(&spec, "a", 1, NULL, NULL, &why), &why);
    assert_status(UF_OK, uf_builder_merge(into, from, NULL), NULL);
    assert_refused(UF_EINVAL, uf_builder_merge(into, from, &why), &why);
    assert_refused(UF_EINVAL, uf_builder_merge(from, into, &why), &why);
    assert_refused(UF_EINVAL, uf_builder_write(from, bytes_put, &bytes, &why), &why);
    assert_refused(UF_EINVAL, uf_builder_finish(from, &filter, &why), &why);
    assert_status(UF_OK, uf_builder_get_spec(from, &spec), NULL);
    uf_builder_free(into);
    uf_builder_free(from);
}

/* ---- full=refuse ---- */

/* What is too much for one builder is too much for two, and it counts alike. */
static void check_refuse(size_t each, int status, int carried)
{
    const char *text = "bloom:n=1000,fpr=0.01,full=refuse,seed=0x1";
    struct keys keys = keys_make("key", 2 * each);
    uf_builder *into = new_builder(text, NULL), *from = new_builder(text, NULL);
    uf_filter *filter = NULL;
    uf_error why;
    assert_status(UF_OK, uf_builder_add(into, keys.key, each, &why), &why);
    assert_status(UF_OK, uf_builder_add(from, keys.key + each, each, &why), &why);
    if (carried) {
        struct bytes bytes = {NULL, 0, 0};
        uf_spec spec = spec_of(text);
        assert_status(UF_OK, uf_builder_write(from, bytes_put, &bytes, &why), &why);
        uf_builder_free(from);
        assert_status(UF_OK, uf_builder_read(&spec, bytes.data, bytes.size, NULL, &from, &why), &why);
        bytes_free(&bytes);
    }
    assert_status(UF_OK, uf_builder_merge(into, from, &why), &why);
    assert_status(status, uf_builder_finish(into, &filter, &why), &why);
    if (status == UF_OK) {
        uf_filter *whole = build(text, keys.key, 2 * each, NULL);
        assert_same_bytes(whole, filter, text);
        uf_free(whole);
    }
    uf_free(filter);
    uf_builder_free(into);
    uf_builder_free(from);
    keys_free(&keys);
}

static void test_too_many_keys(void **state)
{
    (void)state;
    for (int carried = 0; carried < 2; carried++) {
        check_refuse(500, UF_OK, carried);
        check_refuse(900, UF_EFULL, carried);
        check_refuse(2000, UF_EFULL, carried); /* each of them is too much already */
    }
}

/* ---- bytes ---- */

static void check_damage(const char *text, size_t count)
{
    struct bytes bytes = bytes_of_builder(text, count);
    unsigned char *copy = malloc(bytes.size + 1); /* of the exact size, so that a sanitizer sees who reads further */
    uf_error why;
    assert_non_null(copy);
    assert_status(UF_OK, read_as(text, bytes.data, bytes.size, &why), &why);
    for (size_t cut = 0; cut < bytes.size; cut++) {
        unsigned char *part = malloc(cut ? cut : 1);
        assert_non_null(part);
        memcpy(part, bytes.data, cut);
        assert_refused(UF_EFORMAT, read_as(text, part, cut, &why), &why);
        free(part);
    }
    memcpy(copy, bytes.data, bytes.size);
    copy[bytes.size] = 0;
    assert_refused(UF_EFORMAT, read_as(text, copy, bytes.size + 1, &why), &why);
    for (size_t at = 0; at < bytes.size; at++)
        for (unsigned flip = 1; flip < 256; flip = flip == 1 ? 0x80 : flip == 0x80 ? 0xff : 256) {
            copy[at] ^= (unsigned char)flip;
            int status = read_as(text, copy, bytes.size, &why);
            assert_that(status == UF_EFORMAT || status == UF_EVERSION, "%s: byte %zu ^ %x gave %d: %s", text, at, flip,
                        status, why.text);
            assert_true(why.status == status && why.text[0]);
            copy[at] ^= (unsigned char)flip;
        }
    assert_status(UF_OK, read_as(text, copy, bytes.size, &why), &why);
    free(copy);
    bytes_free(&bytes);
}

static void test_damage(void **state)
{
    (void)state;
    check_damage(hashes_spec, 20);
    check_damage(hashes_spec, 0);
    check_damage(filter_spec, 20);
    check_damage(keyed_spec, 5);
    check_damage("ribbon:seed=0x1", 5);
    check_damage("dpset:epsilon=3,n=10,seed=0x1", 5);
}

static void put_number(unsigned char *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

/* Whoever changes a header can make its checksum right, too. */
static int read_forged(const char *text, const struct bytes *bytes, uf_error *why)
{
    put_number(bytes->data + SUM_AT, checksum(bytes->data, SUM_AT, 0), 8);
    return read_as(text, bytes->data, bytes->size, why);
}

static void forge_number(const char *text, size_t at, uint64_t value, size_t width, int status)
{
    struct bytes bytes = bytes_of_builder(text, 20);
    uf_error why;
    put_number(bytes.data + at, value, width);
    assert_refused(status, read_forged(text, &bytes, &why), &why);
    bytes_free(&bytes);
}

static void forge_spec(const char *text, const char *other, int status)
{
    struct bytes bytes = bytes_of_builder(text, 20);
    uf_error why;
    memset(bytes.data + SPEC_AT, 0, sizeof(uf_spec));
    memcpy(bytes.data + SPEC_AT, other, strlen(other));
    assert_refused(status, read_forged(text, &bytes, &why), &why);
    bytes_free(&bytes);
}

static void test_forged_headers(void **state)
{
    (void)state;
    forge_number(hashes_spec, FORM_AT, 2, 4, UF_EFORMAT);
    forge_number(filter_spec, FORM_AT, 1, 4, UF_EFORMAT);
    forge_number(hashes_spec, FORM_AT, 0, 4, UF_EFORMAT);
    forge_number(hashes_spec, FORM_AT, 3, 4, UF_EFORMAT);
    forge_number(hashes_spec, KEYS_AT, UINT64_MAX, 8, UF_EFORMAT);
    forge_number(hashes_spec, KEYS_AT, UINT64_C(1) << 60, 8, UF_EFORMAT); /* times 16 is 0 */
    forge_number(hashes_spec, KEYS_AT, UINT64_C(1) << 40, 8, UF_EFORMAT); /* and none of it is asked for */
    forge_number(hashes_spec, KEYS_AT, 19, 8, UF_EFORMAT);
    forge_number(filter_spec, KEYS_AT, UINT64_MAX, 8, UF_EFORMAT);
    forge_number(hashes_spec, STAMP_AT, 1, 8, UF_EFORMAT); /* the notice is for unkeyed ones */
    forge_number(keyed_spec, STAMP_AT, 1, 8, UF_EKEY);
    forge_spec(hashes_spec, "blocked:fpr=0.01,seed=0x0000000000005eee", UF_EMISMATCH);
    forge_spec(hashes_spec, "bloom:n=1e15,seed=0x0000000000005eed", UF_EMISMATCH);
    forge_spec(filter_spec, "bloom:n=21,seed=0x0000000000005eed", UF_EMISMATCH);
    forge_spec(hashes_spec, "", UF_EFORMAT);
    forge_spec(hashes_spec, "no spec at all,", UF_EFORMAT);
}

static void test_texts_without_an_end(void **state)
{
    struct bytes bytes = bytes_of_builder(hashes_spec, 20);
    uf_error why;
    (void)state;
    memset(bytes.data + SPEC_AT, 'a', sizeof(uf_spec));
    assert_refused(UF_EFORMAT, read_forged(hashes_spec, &bytes, &why), &why);
    bytes_free(&bytes);
}

/* A sound file of another filter. */
static void forge_filter(const char *other, size_t count)
{
    struct bytes bytes = bytes_of_builder(filter_spec, 20);
    struct keys keys = keys_make("key", count);
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.secret = subject_secret(other);
    struct bytes file = bytes_of_build(other, keys.key, count, &ctx);
    uf_error why;
    bytes.size = HEAD;
    assert_int_equal(bytes_put(&bytes, file.data, file.size), 0);
    assert_refused(UF_EFORMAT, read_forged(filter_spec, &bytes, &why), &why);
    keys_free(&keys);
    bytes_free(&file);
    bytes_free(&bytes);
}

static void test_forged_filters(void **state)
{
    (void)state;
    forge_filter("bloom:n=20,seed=0x5eee", 20);
    forge_filter("bloom:n=21,seed=0x5eed", 20);
    forge_filter("bloom:n=2000,seed=0x5eed", 20);
    forge_filter("bloom:n=20,full=scale,seed=0x5eed", 20);
    forge_filter("bloom:n=20,full=refuse,seed=0x5eed", 20);
    forge_filter("blocked:n=20,seed=0x5eed", 20);
    forge_filter("ribbon:n=20,seed=0x5eed", 20);
}

/* Pieces are numbered. */
static void test_pieces_that_swap_places(void **state)
{
    struct bytes bytes = bytes_of_builder(hashes_spec, 10000);
    unsigned char *first = bytes.data + HEAD, *second = first + PIECE + 8;
    uf_error why;
    (void)state;
    assert_int_equal(bytes.size, HEAD + 10000 * 16 + 3 * 8);
    assert_status(UF_OK, read_as(hashes_spec, bytes.data, bytes.size, &why), &why);
    for (size_t i = 0; i < PIECE + 8; i++) {
        unsigned char byte = first[i];
        first[i] = second[i];
        second[i] = byte;
    }
    assert_refused(UF_EFORMAT, read_as(hashes_spec, bytes.data, bytes.size, &why), &why);
    bytes_free(&bytes);
}

/* Whoever looks at the bytes is told what they are. */
static int has_text(const struct bytes *bytes, const char *text)
{
    for (size_t i = 0; i + strlen(text) <= bytes->size; i++)
        if (!memcmp(bytes->data + i, text, strlen(text)))
            return 1;
    return 0;
}

static void test_notice(void **state)
{
    static const char open[] = "as sensitive as the keys";
    struct bytes plain = bytes_of_builder(hashes_spec, 3), filter = bytes_of_builder(filter_spec, 3);
    struct bytes keyed = bytes_of_builder(keyed_spec, 3);
    (void)state;
    assert_true(has_text(&plain, open) && has_text(&filter, open));
    assert_true(!has_text(&keyed, open) && has_text(&keyed, "keyed hashes of keys"));
    bytes_free(&plain);
    bytes_free(&filter);
    bytes_free(&keyed);
}

/* ---- callbacks that stop ---- */

static int stop_later(void *arg, const void *data, size_t bytes)
{
    (void)data, (void)bytes;
    return --*(int *)arg < 0 ? 42 : 0;
}

static void test_sinks_that_stop(void **state)
{
    static const char *const texts[] = {"blocked:seed=0x1", "bloom:n=5000,seed=0x1"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        uf_builder *builder = builder_of(texts[i], 5000, NULL);
        uf_filter *filter = NULL;
        uf_error why;
        for (int calls = 0; calls < 4; calls++) {
            int left = calls, status = uf_builder_write(builder, stop_later, &left, &why);
            if (calls < 3)
                assert_refused(UF_EIO, status, &why);
            assert_int_equal(why.reason, status == UF_OK ? 0 : 42);
        }
        assert_status(UF_OK, uf_builder_finish(builder, &filter, &why), &why);
        uf_free(filter);
        uf_builder_free(builder);
    }
}

static int stop_when(void *arg, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    return *(int *)arg;
}

static void test_progress(void **state)
{
    static const char *const texts[] = {"bloom:n=1000,seed=0x1", "blocked:seed=0x1"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct bytes bytes = bytes_of_builder(texts[i], 100), none = {NULL, 0, 0};
        uf_context ctx = UF_CONTEXT_INIT;
        uf_spec spec = spec_of(texts[i]);
        uf_builder *out = NULL;
        uf_error why;
        int stop = 0;
        ctx.progress = stop_when;
        ctx.progress_arg = &stop;
        uf_builder *builder = builder_of(texts[i], 100, &ctx);
        stop = 7;
        assert_refused(UF_ECANCELED, uf_builder_write(builder, bytes_put, &none, &why), &why);
        assert_int_equal(why.reason, 7);
        assert_refused(UF_ECANCELED, uf_builder_read(&spec, bytes.data, bytes.size, &ctx, &out, &why), &why);
        assert_int_equal(why.reason, 7);
        stop = 0;
        assert_status(UF_OK, uf_builder_read(&spec, bytes.data, bytes.size, &ctx, &out, &why), &why);
        uf_builder_free(out);
        uf_builder_free(builder);
        bytes_free(&bytes);
        bytes_free(&none);
    }
}

static void test_merge_that_is_stopped(void **state)
{
    const char *text = "bloom:n=1000,seed=0x1";
    uf_context ctx = UF_CONTEXT_INIT;
    int stop = 7;
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    ctx.progress = stop_when;
    ctx.progress_arg = &stop;
    uf_builder *into = builder_of(text, 10, &ctx), *from = builder_of(text, 100, NULL);
    assert_refused(UF_ECANCELED, uf_builder_merge(into, from, &why), &why);
    assert_int_equal(why.reason, 7);
    stop = 0;
    assert_refused(UF_ECANCELED, uf_builder_merge(into, from, &why), &why);
    assert_refused(UF_ECANCELED, uf_builder_finish(into, &filter, &why), &why);
    assert_status(UF_OK, uf_builder_finish(from, &filter, &why), &why);
    uf_free(filter);
    uf_builder_free(into);
    uf_builder_free(from);
}

/* ---- memory that runs out ---- */

/* One call is refused memory; then it is made again and must work. */
static int twice(int status, int again, const uf_error *why)
{
    assert_that(status == UF_OK || (status == UF_ENOMEM && why->text[0]), "gave %d: %s", status, why->text);
    return status == UF_OK ? 0 : (assert_int_equal(again, UF_OK), 1);
}

struct shortage {
    const char *text;
    uf_context ctx, rich; /* the second has the system's memory */
    struct bytes bytes;
    uf_filter *whole;
    struct keys keys;
};

/* Returns how often memory was refused. */
static int merge_with_little(struct shortage *shortage, struct counting *counting, size_t fail_in, int carried)
{
    uf_spec spec = spec_of(shortage->text);
    uf_builder *into = new_builder(shortage->text, &shortage->ctx), *from = NULL;
    uf_filter *filter = NULL;
    uf_error why, unused;
    int refused = 0, status = UF_OK;
    assert_status(UF_OK, uf_builder_add(into, shortage->keys.key, 300, &why), &why);
    if (carried) {
        counting->fail_at = counting->calls + fail_in;
        status = uf_builder_read(&spec, shortage->bytes.data, shortage->bytes.size, &shortage->ctx, &from, &why);
        assert_int_equal(status == UF_OK, from != NULL);
        refused += twice(
            status,
            from ? UF_OK
                 : uf_builder_read(&spec, shortage->bytes.data, shortage->bytes.size, &shortage->ctx, &from, &unused),
            &why);
    } else {
        from = new_builder(shortage->text, &shortage->rich);
        assert_status(UF_OK, uf_builder_add(from, shortage->keys.key + 300, 700, &why), &why);
        counting->fail_at = counting->calls + fail_in;
        status = uf_builder_merge(into, from, &why);
        refused += twice(status, status == UF_OK ? UF_OK : uf_builder_merge(into, from, &unused), &why);
    }
    counting->fail_at = 0;
    if (carried)
        assert_status(UF_OK, uf_builder_merge(into, from, &why), &why);
    assert_status(UF_OK, uf_builder_finish(into, &filter, &why), &why);
    assert_same_bytes(shortage->whole, filter, shortage->text);
    uf_free(filter);
    uf_builder_free(into);
    uf_builder_free(from);
    return refused;
}

/* Direct builders that merge need no memory at all. */
static void check_shortage(const char *text, int carried, int needs)
{
    struct counting counting = {0};
    struct shortage shortage = {.text = text, .ctx = subject_context(), .keys = keys_make("key", 1000)};
    int refused = 0, last = 1;
    uf_error why;
    shortage.ctx.secret = subject_secret(text);
    shortage.rich = shortage.ctx;
    shortage.ctx.allocator = counting_allocator(&counting);
    shortage.whole = build(text, shortage.keys.key, 1000, &shortage.rich);
    if (carried) {
        uf_builder *part = new_builder(text, &shortage.rich);
        assert_status(UF_OK, uf_builder_add(part, shortage.keys.key + 300, 700, &why), &why);
        assert_status(UF_OK, uf_builder_write(part, bytes_put, &shortage.bytes, &why), &why);
        uf_builder_free(part);
    }
    for (size_t k = 1; last; k++) {
        last = merge_with_little(&shortage, &counting, k, carried);
        refused += last;
        assert_true(k < 1000);
    }
    assert_that(counting_is_clean(&counting), "%s: %zu blocks left, %zu wrong, %zu unwiped", text, counting.blocks,
                counting.wrong, counting.unwiped);
    assert_int_equal(refused > 0, needs);
    uf_free(shortage.whole);
    bytes_free(&shortage.bytes);
    keys_free(&shortage.keys);
}

static void test_shortage(void **state)
{
    (void)state;
    check_shortage("blocked:seed=0x1", 0, 1);
    check_shortage("ribbon:seed=0x1", 0, 1);
    check_shortage("keyed(blocked:fpr=0.01,seed=0x1)", 0, 1);
    check_shortage("partition:fpr=0.01,seed=0x1", 0, 1);
    check_shortage("bloom:n=1000,seed=0x1", 0, 0);
    check_shortage("blocked:seed=0x1", 1, 1);
    check_shortage("bloom:n=1000,seed=0x1", 1, 1);
    check_shortage("counting:n=1000,seed=0x1", 1, 1);
}

static void test_writing_without_memory(void **state)
{
    static const char *const texts[] = {"blocked:seed=0x1", "bloom:n=100,seed=0x1"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct counting counting = {0};
        uf_context ctx = counting_context(&counting);
        uf_builder *builder = builder_of(texts[i], 100, &ctx);
        struct bytes bytes = {NULL, 0, 0};
        uf_error why;
        counting.fail_at = counting.calls + 1;
        assert_refused(UF_ENOMEM, uf_builder_write(builder, bytes_put, &bytes, &why), &why);
        bytes.size = 0;
        assert_status(UF_OK, uf_builder_write(builder, bytes_put, &bytes, &why), &why);
        assert_status(UF_OK, read_as(texts[i], bytes.data, bytes.size, &why), &why);
        bytes_free(&bytes);
        uf_builder_free(builder);
        assert_true(counting_is_clean(&counting));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forged_removals),
        cmocka_unit_test(test_other_specs),
        cmocka_unit_test(test_numbers_may_be_spelled_differently),
        cmocka_unit_test(test_other_keys),
        cmocka_unit_test(test_other_models),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_too_many_keys),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_forged_headers),
        cmocka_unit_test(test_texts_without_an_end),
        cmocka_unit_test(test_forged_filters),
        cmocka_unit_test(test_pieces_that_swap_places),
        cmocka_unit_test(test_notice),
        cmocka_unit_test(test_sinks_that_stop),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_merge_that_is_stopped),
        cmocka_unit_test(test_shortage),
        cmocka_unit_test(test_writing_without_memory),
    };
    return cmocka_run_group_tests_name("builder_bytes", tests, NULL, NULL);
}
