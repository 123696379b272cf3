/* SPDX-License-Identifier: MIT */
/* Builders as the public header has them: the spec, the hasher, and whatever way the kind is built. */
#include "builder.h"

#include <string.h>

#include "capacity.h"
#include "context.h"
#include "hash_builder.h"
#include "parallel.h"
#include "hasher_start.h"
#include "status.h"
#include "table.h"
#include "counted.h"

enum { SLICE = 1 << 16 };

/* The number of keys may come later, but everything else that is wrong with a spec is said now. */
static int check_request(const struct filter_ops *ops, const struct spec *want, int known, uf_error *why)
{
    struct spec trial = *want;
    if (spec_text(want, "n") && spec_text(want, "count_epsilon")) /* it would claim noise that nobody drew */
        return fail(why, UF_EINVAL, "n declares the capacity and count_epsilon counts it with noise: give one of them");
    if (!spec_text(want, "n") && (ops->declared ? spec_text(want, "count_epsilon") != NULL : !known))
        spec_set_number(&trial, "n", ops->declared ? 65536 : 1); /* many enough to fit if any number does */
    return spec_plan(ops, &trial, why);
}

static int start(uf_builder *builder, const struct spec *want, uf_error *why)
{
    int status = hasher_start(builder->ops, want, &builder->ctx, &builder->hasher, why);
    if (status != UF_OK)
        return status;
    builder->want = *want;
    if (builder->ops->hash == HASH_XXH3)
        spec_set_seed(&builder->want, "seed", builder->hasher.seed);
    return builder->way->start(builder->ops, want, &builder->hasher, &builder->ctx, &builder->state, why);
}

int uf_builder_new(const uf_spec *want, const uf_context *given, uf_builder **out, uf_error *why)
{
    uf_context ctx;
    struct spec spec;
    const struct filter_ops *ops;
    error_clear(why);
    if (!want || !out)
        return fail(why, UF_EINVAL, "no spec was given");
    int status = context_read(given, &ctx, why);
    if (status == UF_OK)
        status = spec_read(want->text, &spec, &ops, why);
    if (status == UF_OK)
        status = check_request(ops, &spec, spec_has_size(&spec), why);
    if (status != UF_OK)
        return status;
    struct mem mem = {ctx.allocator};
    uf_builder *builder = mem_alloc(&mem, 1, sizeof *builder);
    if (!builder)
        return fail(why, UF_ENOMEM, "no memory for a builder");
    builder->mem = mem;
    builder->ctx = ctx;
    builder->ops = ops;
    builder->way = ops->builder ? ops->builder : &hash_builder;
    builder->counted = ops->builder || !spec_has_size(&spec);
    status = start(builder, &spec, why);
    if (status == UF_OK)
        *out = builder;
    else
        uf_builder_free(builder);
    return status;
}

static int add_batch(uf_builder *builder, const struct key_batch *batch, size_t count, uf_error *why)
{
    error_clear(why);
    if (builder->finished)
        return fail(why, UF_EINVAL, "this builder has finished already: make a new one for further keys");
    int status = builder->way->add(builder->state, batch, count);
    return status == UF_OK
               ? UF_OK
               : fail(why, status, "adding %zu keys to the builder failed: %s", count, uf_status_text(status));
}

int uf_builder_add(uf_builder *builder, const uf_key *keys, size_t count, uf_error *why)
{
    struct key_batch batch = batch_of_keys(keys);
    return add_batch(builder, &batch, count, why);
}

int uf_builder_add_fixed(uf_builder *builder, const void *keys, size_t key_bytes, size_t count, uf_error *why)
{
    struct key_batch batch = batch_of_fixed(keys, key_bytes);
    return add_batch(builder, &batch, count, why);
}

int uf_builder_add_offsets(uf_builder *builder, const void *bytes, const void *offsets, int offset_bytes, size_t count,
                           uf_error *why)
{
    struct key_batch batch;
    error_clear(why);
    int status = batch_of_offsets(bytes, offsets, offset_bytes, count, &batch, why);
    return status == UF_OK ? add_batch(builder, &batch, count, why) : status;
}

int uf_builder_finish(uf_builder *builder, uf_filter **out, uf_error *why)
{
    uf_filter *filter = NULL;
    uint64_t total = 0;
    error_clear(why);
    if (builder->finished)
        return fail(why, UF_EINVAL, "this builder has finished already");
    builder->finished = 1;
    int status = builder->way->finish(builder->state, &filter, &total, why);
    if (status == UF_OK)
        status = capacity_settle(filter, total, why);
    if (status == UF_OK && builder->counted)
        uf_mark_counted(filter);
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

void uf_builder_free(uf_builder *builder)
{
    if (!builder)
        return;
    struct mem mem = builder->mem;
    builder->way->free(builder->state);
    mem_free(&mem, builder, 1, sizeof *builder);
}

struct slices {
    uf_builder *builder;
    const uf_key *keys;
    size_t count;
};

static int add_slice(void *arg, size_t slice)
{
    const struct slices *slices = arg;
    size_t from = slice * SLICE, left = slices->count - from;
    return uf_builder_add(slices->builder, slices->keys + from, left < SLICE ? left : SLICE, NULL);
}

int uf_build(const uf_spec *want, const uf_key *keys, size_t count, const uf_context *ctx, uf_filter **out,
             uf_error *why)
{
    struct slices slices = {NULL, keys, count};
    uf_spec spec;
    error_clear(why);
    if (!want || (!keys && count) || !out)
        return fail(why, UF_EINVAL, "no spec or no keys were given");
    int status = spec_with_count(want, count, &spec, why);
    if (status == UF_OK)
        status = uf_builder_new(&spec, ctx, &slices.builder, why);
    if (status != UF_OK)
        return status;
    slices.builder->counted |= strcmp(spec.text, want->text) != 0;
    unsigned threads =
        slices.builder->ops->hash == HASH_FNV1 ? 1 : slices.builder->ctx.threads; /* order matters there */
    (void)parallel_for(threads, (count + SLICE - 1) / SLICE, add_slice, &slices); /* finish says what failed */
    status = uf_builder_finish(slices.builder, out, why);
    uf_builder_free(slices.builder);
    return status;
}
