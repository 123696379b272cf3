/* SPDX-License-Identifier: MIT */
/*
 * Builders that fill up apart and become one, through the public header only: for every kind the bytes are those of one
 * builder with all keys, whatever the order, the threads and the way between processes.
 */
#define UF_EXPERIMENTAL /* uf_builder_write, uf_builder_read */
#include <pthread.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "keys.h"
#include "secrets.h"
#include "subjects.h"

/* Parts of different sizes that overlap, and one without keys. */
enum { KEYS = 1500, PARTS = 4 };

static const struct {
    size_t from, count;
} part[PARTS] = {{0, 600}, {500, 500}, {0, 0}, {900, 600}};

/* into <- from, until one is left. */
static const struct {
    unsigned steps[PARTS - 1][2], last;
} orders[] = {
    {{{0, 1}, {0, 2}, {0, 3}}, 0},
    {{{3, 2}, {3, 1}, {3, 0}}, 3},
    {{{2, 3}, {1, 0}, {2, 1}}, 2},
};

enum { ORDERS = sizeof orders / sizeof orders[0] };

static struct keys keys;

/* ---- filling ---- */

struct share {
    uf_builder *builder;
    size_t from, count;
};

static void *add_share(void *arg)
{
    const struct share *share = arg;
    for (size_t done = 0; done < share->count; done += 100) {
        size_t step = share->count - done < 100 ? share->count - done : 100;
        if (uf_builder_add(share->builder, keys.key + share->from + done, step, NULL) != UF_OK)
            return arg;
    }
    return NULL;
}

/* By as many threads as it was made for, one or two. */
static void add_part(uf_builder *builder, size_t which, unsigned threads)
{
    size_t half = threads > 1 ? part[which].count / 2 : 0;
    struct share first = {builder, part[which].from, half};
    struct share second = {builder, part[which].from + half, part[which].count - half};
    pthread_t thread;
    void *failed = NULL;
    if (half)
        assert_int_equal(pthread_create(&thread, NULL, add_share, &first), 0);
    assert_null(add_share(&second));
    if (half)
        assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
}

static uf_builder *new_builder(const char *text, const uf_context *ctx)
{
    uf_spec spec = spec_of(text);
    uf_builder *builder = NULL;
    uf_error why;
    assert_status(UF_OK, uf_builder_new(&spec, ctx, &builder, &why), &why);
    return builder;
}

static uf_filter *finish(uf_builder *builder)
{
    uf_filter *filter = NULL;
    uf_error why;
    assert_status(UF_OK, uf_builder_finish(builder, &filter, &why), &why);
    uf_builder_free(builder);
    return filter;
}

/* All parts but one (PARTS: none is left out), in one builder. */
static uf_filter *build_at_once(const char *text, const uf_context *ctx, size_t left_out)
{
    uf_builder *builder = new_builder(text, ctx);
    for (size_t i = 0; i < PARTS; i++)
        if (i != left_out)
            add_part(builder, i, 1);
    return finish(builder);
}

static int merges(const char *text)
{
    return !strstr(text, "full=scale") || !strstr(text, "n=1");
}

static void merge(uf_builder *into, uf_builder *from)
{
    uf_error why = {UF_EINVAL, 1, "something"};
    assert_status(UF_OK, uf_builder_merge(into, from, &why), &why);
    assert_true(why.status == UF_OK && !why.text[0]);
    assert_refused(UF_EINVAL, uf_builder_add(from, keys.key, 1, &why), &why); /* it has finished */
    uf_builder_free(from);
}

/* Through bytes, into a builder of its own. `want` has no seed where the kind has one. */
static uf_builder *carry(uf_builder *builder, const char *want, const uf_context *ctx)
{
    struct bytes bytes = {NULL, 0, 0};
    uf_spec spec = spec_of(want);
    uf_builder *out = NULL;
    uf_error why = {UF_EINVAL, 1, "something"};
    assert_status(UF_OK, uf_builder_write(builder, bytes_put, &bytes, &why), &why);
    assert_true(why.status == UF_OK && !why.text[0]);
    assert_status(UF_OK, uf_builder_read(&spec, bytes.data, bytes.size, ctx, &out, &why), &why);
    assert_true(why.status == UF_OK && !why.text[0]);
    bytes_free(&bytes);
    uf_builder_free(builder);
    return out;
}

/* ---- for every kind ---- */

/* How the parts come together. */
struct way {
    unsigned order, threads;
    int carried;
};

static uf_filter *build_in_parts(const char *text, const char *want, const uf_context *given, struct way way)
{
    uf_builder *builder[PARTS];
    uf_context ctx = *given;
    ctx.threads = way.threads;
    for (size_t i = 0; i < PARTS; i++) {
        builder[i] = new_builder(text, &ctx);
        add_part(builder[i], i, way.threads);
        if (way.carried)
            builder[i] = carry(builder[i], want, &ctx);
    }
    for (size_t i = 0; i < PARTS - 1; i++)
        merge(builder[orders[way.order].steps[i][0]], builder[orders[way.order].steps[i][1]]);
    return finish(builder[orders[way.order].last]);
}

static void check_ways(const struct subject *subject, const char *text, const char *want, const uf_context *ctx)
{
    uf_filter *whole = build_at_once(text, ctx, PARTS);
    int most = kind_is_learned(subject->kind) ? 1 : 2;
    for (unsigned order = 0; order < ORDERS; order++)
        for (unsigned threads = 1; threads <= 2; threads++)
            for (int carried = 0; carried < most; carried++) {
                uf_filter *merged = build_in_parts(text, want, ctx, (struct way){order, threads, carried});
                assert_same_set(subject, whole, merged, text);
                if (subject->epsilon <= 0)
                    assert_int_equal(keys_found(merged, &keys), KEYS);
                uf_free(merged);
            }
    uf_free(whole);
}

/* Otherwise the comparison would show nothing. */
static void check_control(const char *text, const uf_context *ctx)
{
    uf_filter *whole = build_at_once(text, ctx, PARTS), *less = build_at_once(text, ctx, 3);
    struct bytes a = bytes_of(whole, UF_FORMAT_UF), b = bytes_of(less, UF_FORMAT_UF);
    assert_false(bytes_equal(&a, &b));
    bytes_free(&a);
    bytes_free(&b);
    uf_free(whole);
    uf_free(less);
}

/* With a size, where there is one, and without. */
static void check_merge(const struct subject *subject)
{
    uf_context ctx = context_of(subject);
    const char *sized = with(subject, "n=%d", 1700);
    if (merges(sized))
        check_ways(subject, sized, unsown_with(subject, "n=%d", 1700), &ctx);
    check_ways(subject, subject->spec, subject->unsown, &ctx);
    check_control(subject->spec, &ctx);
}

/* The noise of private kinds is the same when there is a label. */
static void check_private(const struct subject *subject)
{
    uf_context ctx = secret_context();
    ctx.label = "spring";
    const char *sized = with(subject, "n=%d", 1700), *counted = with(subject, "count_epsilon=%d", 1);
    check_ways(subject, sized, unsown_with(subject, "n=%d", 1700), &ctx);
    check_ways(subject, counted, unsown_with(subject, "count_epsilon=%d", 1), &ctx);
    check_control(sized, &ctx);
}

/* Who draws a seed hands it on. */
static void check_spec(const struct subject *subject)
{
    uf_context ctx = context_of(subject);
    uf_builder *first = new_builder(unsown_with(subject, "n=%d", 1700), &ctx), *second = NULL;
    uf_spec spec, again;
    char seed[32], planned[32];
    uf_error why;
    assert_status(UF_OK, uf_builder_get_spec(first, &spec), NULL);
    assert_int_equal(uf_spec_get_text(&spec, "seed", seed, sizeof seed) == UF_OK, subject->has_seed);
    assert_status(UF_OK, uf_builder_new(&spec, &ctx, &second, &why), &why);
    assert_status(UF_OK, uf_builder_get_spec(second, &again), NULL);
    assert_string_equal(spec.text, again.text);
    add_part(first, 0, 1);
    add_part(second, 3, 1);
    if (merges(spec.text))
        merge(first, second);
    else
        uf_builder_free(second);
    uf_filter *filter = finish(first);
    uf_get_plan(filter, &again);
    if (subject->has_seed) {
        assert_status(UF_OK, uf_spec_get_text(&again, "seed", planned, sizeof planned), NULL);
        assert_string_equal(seed, planned);
    }
    uf_free(filter);
}

/* Keys that lie in memory of different allocators. */
static void check_memory(const struct subject *subject)
{
    struct counting counting = {0};
    uf_context ctx = context_of(subject), own = ctx;
    uf_filter *whole = build_at_once(subject->spec, &ctx, PARTS);
    own.allocator = counting_allocator(&counting);
    uf_builder *into = new_builder(subject->spec, &ctx);
    for (size_t i = 0; i < PARTS; i++) {
        uf_builder *from = new_builder(subject->spec, i % 2 ? &own : &ctx);
        add_part(from, i, 1);
        merge(into, from);
    }
    assert_true(counting.calls && counting_is_clean(&counting));
    uf_filter *merged = finish(into);
    assert_same_set(subject, whole, merged, subject->spec);
    uf_free(merged);
    uf_free(whole);
}

/* Levels cannot be ORed: refused with what to do, and nothing is lost. */
static void check_scale(const struct subject *subject)
{
    uf_context ctx = context_of(subject);
    const char *text = with(subject, "n=%d", 1000);
    struct bytes bytes = {NULL, 0, 0};
    uf_error why;
    if (merges(text))
        return;
    uf_builder *into = new_builder(text, &ctx), *from = new_builder(text, &ctx);
    add_part(into, 0, 1);
    add_part(from, 1, 1);
    assert_refused(UF_EUNSUPPORTED, uf_builder_merge(into, from, &why), &why);
    assert_non_null(strstr(why.text, "leave out n"));
    assert_refused(UF_EUNSUPPORTED, uf_builder_write(from, bytes_put, &bytes, &why), &why);
    assert_int_equal(bytes.size, 0);
    uf_free(finish(into));
    uf_free(finish(from));
}

int main(void)
{
    static const struct check checks[] = {
        {"merged builders are one", check_merge},
        {"specs with the seed", check_spec},
        {"memory of two allocators", check_memory},
        {"full=scale with a size", check_scale},
    };
    static const struct check private_checks[] = {{"merged builders are one", check_private}};
    keys = keys_make("key", KEYS);
    int failed = subjects_run("builders", checks, sizeof checks / sizeof checks[0]);
    failed += subjects_run_private("builders, private kinds", private_checks, 1);
    keys_free(&keys);
    return failed;
}
