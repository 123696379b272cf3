/* SPDX-License-Identifier: MIT */
#include "window.h"

#include <math.h>
#include <string.h>

#include "capacity.h"
#include "filter.h"
#include "locked.h"
#include "series.h"
#include "sized.h"
#include "status.h"

/* ---- planning ---- */

int window_of(const struct spec *spec, const struct filter_ops *ops, unsigned *out, uf_error *why)
{
    uint64_t generations = 0;
    const char *full = spec_text(spec, "full");
    int has = spec_get_count(spec, "window", &generations, why);
    *out = 0;
    if (has <= 0)
        return has ? UF_EINVAL : UF_OK;
    if (!capacity_can_grow(ops))
        return fail(why, UF_EINVAL, "%s filters have no window: bloom and blocked do", ops->name);
    if (generations < WINDOW_LEAST || generations > WINDOW_MOST)
        return fail(why, UF_EINVAL, "window=%llu is not possible: it is a number of generations from %d to %d",
                    (unsigned long long)generations, WINDOW_LEAST, WINDOW_MOST);
    if (full && !strcmp(full, capacity_name(FULL_SCALE)))
        return fail(why, UF_EINVAL,
                    "window=%llu and full=scale do not go together: plan n for the keys of one generation",
                    (unsigned long long)generations);
    *out = (unsigned)generations;
    return UF_OK;
}

int window_generation(const struct filter_ops *ops, struct spec *plan, unsigned generations, uf_error *why)
{
    return series_plan_part(ops, plan, generations, why);
}

int window_plan(const struct filter_ops *ops, struct spec *spec, unsigned generations, uf_error *why)
{
    int status = window_generation(ops, spec, generations, why);
    if (status == UF_OK)
        series_set_rate(spec, generations);
    return status;
}

/* ---- making one ---- */

/* A filter as this one, without keys. */
static int empty_twin(const uf_filter *of, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    uf_filter *twin = NULL;
    int status = filter_new(of->ops, ctx, &twin, why);
    if (status != UF_OK)
        return status;
    twin->hasher = of->hasher;
    twin->word_count = of->word_count;
    twin->early_exit = of->early_exit;
    filter_copy_params(of, twin);
    capacity_open(twin, FULL_WARN, 0);
    status = of->words ? filter_allocate(twin, why) : UF_OK;
    if (status != UF_OK) {
        uf_free(twin);
        return status;
    }
    filter_bind(twin);
    *out = twin;
    return UF_OK;
}

static int add_empty(uf_filter *window, const uf_filter *twin, const uf_context *ctx, uf_error *why)
{
    uf_filter *generation = NULL;
    int status = empty_twin(twin, ctx, &generation, why);
    if (status == UF_OK)
        status = filter_add_child(window, generation, why);
    if (status != UF_OK)
        uf_free(generation);
    return status;
}

int window_wrap(uf_filter *newest, unsigned generations, uint32_t policy, const uf_context *ctx, uf_filter **out,
                uf_error *why)
{
    uf_filter *window = NULL;
    int status = series_new(&kind_window, newest, ctx, &window, why);
    for (unsigned i = 1; status == UF_OK && i < generations; i++)
        status = add_empty(window, newest, ctx, why);
    if (status == UF_OK)
        status = filter_add_child(window, newest, why);
    if (status != UF_OK) {
        uf_free(window);
        return status;
    }
    capacity_open(window, policy, 0);
    *out = window;
    return UF_OK;
}

/* ---- inserts: into the newest; was it known to any? ---- */

static int known_before(const uf_filter *window, struct hash128 hash)
{
    int any = 0;
    for (unsigned i = 0; i + 1 < window->children; i++)
        any |= window->child[i]->calls.query(window->child[i], hash);
    return any;
}

static int window_add(struct uf_filter *window, struct hash128 hash)
{
    uf_filter *newest = series_last(window);
    return newest->calls.add(newest, hash) && !known_before(window, hash);
}

static int window_add_one_within(struct uf_filter *window, struct hash128 hash, struct spare *spare)
{
    uf_filter *newest = series_last(window);
    int verdict = newest->calls.add_one_within(newest, hash, spare);
    return verdict == 1 ? !known_before(window, hash) : verdict;
}

static void add_slice(uf_filter *window, struct hash128 *hash, size_t count, int8_t *verdict, struct spare *spare)
{
    uf_filter *newest = series_last(window);
    struct hash_source ready = source_of_hashes(hash);
    uint8_t known[SERIES_SLICE];
    series_ask(window, window->children - 1, hash, count, known);
    if (spare)
        newest->calls.add_within(newest, &ready, count, verdict, spare);
    else
        newest->calls.add_many(newest, &ready, count, verdict);
    for (size_t i = 0; i < count; i++)
        if (verdict[i] == 1 && known[i])
            verdict[i] = 0;
}

static void window_add_within(struct uf_filter *window, struct hash_source *source, size_t count, int8_t *verdict,
                              struct spare *spare)
{
    series_by_slice(window, source, count, verdict, spare, add_slice);
}

static void window_add_many(struct uf_filter *window, struct hash_source *source, size_t count, int8_t *verdict)
{
    uf_filter *newest = series_last(window);
    if (verdict)
        series_by_slice(window, source, count, verdict, NULL, add_slice);
    else
        newest->calls.add_many(newest, source, count, NULL);
}

/* ---- rotating ---- */

int uf_rotate(uf_filter *filter, uf_error *why)
{
    error_clear(why);
    if (!filter)
        return fail(why, UF_EINVAL, "no filter was given");
    if (filter->ops != &kind_window)
        return fail(why, UF_EUNSUPPORTED,
                    "this filter has no generations to rotate: build it with a window, as in blocked:n=1e6,window=7");
    if (filter->locked)
        return locked_refuse(filter, why);
    if (filter->map)
        return fail(why, UF_EREADONLY, "a mapped filter, or a view, cannot change: load it without UF_MAP");
    uf_filter *oldest = filter->child[0];
    memset(oldest->words, 0, oldest->word_count * sizeof *oldest->words);
    memmove(filter->child, filter->child + 1, (filter->children - 1) * sizeof(struct uf_filter *));
    filter->child[filter->children - 1] = oldest;
    capacity_open(filter, filter->capacity.policy, 0);
    return UF_OK;
}

int uf_get_generations(const uf_filter *filter, uf_generation *out, size_t size, size_t capacity)
{
    if (!filter || (!out && capacity))
        return UF_EINVAL;
    if (filter->ops != &kind_window)
        return UF_EUNSUPPORTED;
    for (unsigned i = 0; i < filter->children && i < capacity; i++) {
        const uf_filter *from = filter->child[filter->children - 1 - i];
        uf_info info = {.bits = 0};
        from->ops->info(from, &info);
        const uf_generation generation = {
            .count_estimate = info.count_estimate, .fill = info.fill, .fpr_now = info.fpr_now};
        int status = sized_write(&generation, sizeof generation, (char *)out + i * size, size);
        if (status != UF_OK)
            return status;
    }
    return UF_OK;
}

/* ---- files and figures ---- */

enum { PARAMS_BYTES = 64 };

static int same_shape(const uf_filter *a, const uf_filter *b)
{
    unsigned char bytes[2][PARAMS_BYTES] = {{0}};
    struct writer writer[2] = {{bytes[0], PARAMS_BYTES, 0}, {bytes[1], PARAMS_BYTES, 0}};
    a->ops->encode(a, &writer[0]);
    b->ops->encode(b, &writer[1]);
    return !memcmp(bytes[0], bytes[1], PARAMS_BYTES);
}

static int window_adopt(const struct uf_filter *window, uf_error *why)
{
    if (window->children < WINDOW_LEAST || window->children > WINDOW_MOST)
        return fail(why, UF_EFORMAT, "is damaged: no window has %u generations", window->children);
    int status = series_adopt(window, why);
    for (unsigned i = 1; status == UF_OK && i < window->children; i++)
        if (!same_shape(window->child[0], window->child[i]))
            status = fail(why, UF_EFORMAT, "is damaged: generation %u does not belong to the others", i);
    return status;
}

static void window_describe(const struct uf_filter *window, struct spec *plan)
{
    series_describe_part(window, window->children, plan);
    spec_set_number(plan, "window", window->children);
}

static void window_info(const struct uf_filter *window, uf_info *out)
{
    series_info(window, out);
    out->generations = window->children;
}

static double window_most_rate(const struct uf_filter *window)
{
    return fmin(window->children * window->child[0]->ops->most_rate(window->child[0]), 1);
}

static void window_claim(const struct uf_filter *window, uf_claim *out)
{
    const uf_filter *any = window->child[0];
    any->ops->claim(any, out);
    out->fpr = fmin(window->children * out->fpr, 1);
    out->proof = "docs/kinds.md#keys-that-expire";
}

/* Not in the table of kinds: specs say window=G of another kind. */
const struct filter_ops kind_window = {
    .name = "window",
    .about = "generations of a filter, of which the oldest is dropped",
    .names = series_names,
    .id = 33,
    .hash = HASH_XXH3,
    .series = 1,
    .calls = {.query = series_query,
              .query_many = series_query_many,
              .add_many = window_add_many,
              .add = window_add,
              .add_within = window_add_within,
              .add_one_within = window_add_one_within},
    .encode = series_encode,
    .decode = series_decode,
    .capacity = series_capacity,
    .survey = series_survey,
    .limit = series_limit,
    .most_rate = window_most_rate,
    .adopt = window_adopt,
    .describe = window_describe,
    .info = window_info,
    .claim = window_claim,
};
