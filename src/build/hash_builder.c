/* SPDX-License-Identifier: MIT */
/*
 * Building from the hashes of keys. Two ways, by what is known when the first key comes:
 *
 *   direct   the kind grows and its size is known: keys go straight into the filter. With several threads each one
 *            splits its keys into items (ops.h), collects them in groups by place, and applies a full group under
 *            that group's lock. So no two threads touch the same word, there are no atomics, and since bits are only
 *            ever set, the bytes do not depend on who came first.
 *   collect  the kind is static or the number of keys is not known yet: hashes are kept (core/runs.h) until the end.
 *
 * A filter that grows by a chain (full=scale) goes the direct way, but one thread at a time, as a key may be in a level
 * that others are filling. A window is filled as any filter, its newest generation, and gets the others in the end.
 * Kinds that are built from the keys themselves have a builder of their own (ops->builder).
 */
#include "hash_builder.h"

#include <pthread.h>
#include <string.h>

#include "capacity.h"
#include "chain.h"
#include "filter.h"
#include "parallel.h"
#include "private_build.h"
#include "runs.h"
#include "scatter.h"
#include "status.h"
#include "window.h"

enum { MOST_GROUPS = 256, GROUP_BYTES = 32 << 10, FEW_ITEMS = 1 << 15, BATCH = 64 };

/* What one thread works in; handed from call to call. */
struct scratch {
    struct scratch *next_idle, *next;
    pthread_t user; /* who had it last: to others it is in the caches of another core */
    struct hash_builder *builder;
    struct hash_runs runs; /* collect */
    struct item *item;     /* direct: groups * SCATTER_CAPACITY */
    uint32_t used[MOST_GROUPS];
};

struct hash_builder {
    struct mem mem;
    uf_context ctx;
    struct spec want;
    const struct filter_ops *ops;
    const struct hasher *hasher; /* borrowed */
    uf_filter *filter;           /* direct: owned until finished */
    uint32_t policy;             /* enum full_policy */
    unsigned generations;        /* of a window; 0: none */
    uint64_t total;              /* direct: keys that came */
    int failed;                  /* the first failure; nothing is added after it */
    unsigned groups, shift;      /* direct: the group of an item is place >> shift */
    pthread_mutex_t lock;        /* of the lists of scratches; of the filter, for kinds that cannot be scattered */
    struct scratch *idle, *scratches;
    pthread_mutex_t group_lock[MOST_GROUPS];
};

/* ---- making one ---- */

static int new_filter(struct hash_builder *builder, const struct spec *plan, uf_filter **out, uf_error *why)
{
    int status = filter_make(builder->ops, plan, builder->hasher, &builder->ctx, out, why);
    if (status == UF_OK && capacity_applies(builder->ops))
        capacity_open(*out, builder->policy == FULL_SCALE || builder->generations ? FULL_WARN : builder->policy, 0);
    return status;
}

static int new_chain(struct hash_builder *builder, uf_error *why)
{
    struct spec plan = builder->want;
    uf_filter *level = NULL;
    int status = chain_first(builder->ops, &plan, why);
    if (status == UF_OK)
        status = new_filter(builder, &plan, &level, why);
    if (status == UF_OK)
        status = chain_wrap(level, &builder->ctx, &builder->filter, why);
    if (status != UF_OK)
        uf_free(level);
    return status;
}

/* Groups of items are ranges of places of a power of two. Several times as many as threads: then two rarely want the
 * same one. And as many as there are pieces of GROUP_BYTES in the filter: a full group goes to one such piece, which
 * stays in the caches meanwhile. Measured for blocked on 2 threads of a Neoverse-N1, 10^8 keys: 11.1 ns per key with 8
 * groups, 9.2 with 64, 8.1 with 256. */
static void choose_groups(struct hash_builder *builder)
{
    size_t pieces = builder->filter->word_count / (GROUP_BYTES / sizeof *builder->filter->words);
    builder->groups = 8;
    while (builder->groups < MOST_GROUPS && (builder->groups < 4 * builder->ctx.threads || builder->groups < pieces))
        builder->groups *= 2;
    builder->shift = 0;
    if (builder->ops->places)
        while ((builder->ops->places(builder->filter) - 1) >> builder->shift >= builder->groups)
            builder->shift++;
}

static int start_direct(struct hash_builder *builder, uf_error *why)
{
    struct spec plan = builder->want;
    if (builder->policy == FULL_SCALE)
        return new_chain(builder, why);
    int status = builder->generations ? window_generation(builder->ops, &plan, builder->generations, why)
                                      : builder->ops->plan(builder->ops, &plan, why);
    if (status == UF_OK)
        status = new_filter(builder, &plan, &builder->filter, why);
    if (status == UF_OK)
        choose_groups(builder);
    return status;
}

static int hash_builder_start(const struct filter_ops *ops, const struct spec *want, const struct hasher *hasher,
                              const uf_context *ctx, void **state, uf_error *why)
{
    struct mem mem = {ctx->allocator};
    struct hash_builder *builder = mem_alloc(&mem, 1, sizeof *builder);
    if (!builder)
        return fail(why, UF_ENOMEM, "no memory for a builder");
    builder->mem = mem;
    builder->ctx = *ctx;
    builder->want = *want;
    builder->ops = ops;
    builder->hasher = hasher;
    (void)capacity_policy(want, ops, &builder->policy, NULL); /* spec_read has checked both */
    (void)window_of(want, ops, &builder->generations, NULL);
    pthread_mutex_init(&builder->lock, NULL);
    for (unsigned g = 0; g < MOST_GROUPS; g++)
        pthread_mutex_init(&builder->group_lock[g], NULL);
    *state = builder;
    return !ops->solve && spec_has_size(want) ? start_direct(builder, why) : UF_OK;
}

/* ---- scratch memory ---- */

static struct scratch *scratch_new(struct hash_builder *builder)
{
    struct scratch *scratch = mem_alloc(&builder->mem, 1, sizeof *scratch);
    if (!scratch)
        return NULL;
    scratch->builder = builder;
    scratch->runs.mem = &builder->mem;
    if (builder->filter)
        scratch->item = mem_alloc_dirty(&builder->mem, builder->groups * SCATTER_CAPACITY, sizeof *scratch->item);
    pthread_mutex_lock(&builder->lock);
    scratch->next = builder->scratches;
    builder->scratches = scratch;
    pthread_mutex_unlock(&builder->lock);
    return builder->filter && !scratch->item ? NULL : scratch;
}

static struct scratch *scratch_take(struct hash_builder *builder)
{
    struct scratch **at = &builder->idle;
    pthread_mutex_lock(&builder->lock);
    while (*at && !pthread_equal((*at)->user, pthread_self()))
        at = &(*at)->next_idle;
    if (!*at)
        at = &builder->idle;
    struct scratch *scratch = *at;
    if (scratch)
        *at = scratch->next_idle;
    pthread_mutex_unlock(&builder->lock);
    return scratch ? scratch : scratch_new(builder);
}

static void scratch_return(struct hash_builder *builder, struct scratch *scratch)
{
    scratch->user = pthread_self();
    pthread_mutex_lock(&builder->lock);
    scratch->next_idle = builder->idle;
    builder->idle = scratch;
    pthread_mutex_unlock(&builder->lock);
}

/* ---- adding ---- */

static void apply_group(void *ctx, unsigned g)
{
    struct scratch *scratch = ctx;
    struct hash_builder *builder = scratch->builder;
    pthread_mutex_lock(&builder->group_lock[g]);
    builder->filter->calls.apply(builder->filter, scratch->item + g * SCATTER_CAPACITY, scratch->used[g]);
    pthread_mutex_unlock(&builder->group_lock[g]);
    scratch->used[g] = 0;
}

static void scatter(struct hash_builder *builder, struct scratch *scratch, struct hash_source *source, size_t count)
{
    struct scatter to = {scratch->item, scratch->used, builder->shift, apply_group, scratch};
    builder->ops->scatter(builder->filter, source, count, &to);
}

static int collect(struct scratch *scratch, struct hash_source *source, size_t count)
{
    struct hash128 hash[BATCH];
    int status = UF_OK;
    while (status == UF_OK && count) {
        size_t step = count < BATCH ? count : BATCH;
        source->fill(source, hash, step);
        status = runs_add(&scratch->runs, hash, step);
        count -= step;
    }
    return status;
}

/* For one thread, and for kinds whose inserts cannot be scattered. */
static int insert_locked(struct hash_builder *builder, struct hash_source *source, size_t count)
{
    struct tally tally = {.why = NULL};
    int status = UF_OK;
    pthread_mutex_lock(&builder->lock);
    if (builder->policy == FULL_SCALE)
        status = capacity_add(builder->filter, source, count, NULL, &tally);
    else
        builder->filter->calls.add_many(builder->filter, source, count, NULL);
    pthread_mutex_unlock(&builder->lock);
    return status;
}

static int one_at_a_time(const struct hash_builder *builder)
{
    return builder->ctx.threads == 1 || !builder->ops->scatter || builder->policy == FULL_SCALE;
}

static int add_with_scratch(struct hash_builder *builder, struct hash_source *source, size_t count)
{
    struct scratch *scratch = scratch_take(builder);
    int status = scratch ? UF_OK : UF_ENOMEM;
    if (scratch && builder->filter)
        scatter(builder, scratch, source, count);
    else if (scratch)
        status = collect(scratch, source, count);
    if (scratch)
        scratch_return(builder, scratch);
    return status;
}

static int add(struct hash_builder *builder, struct hash_source *source, size_t count)
{
    int failed = __atomic_load_n(&builder->failed, __ATOMIC_RELAXED);
    if (failed)
        return failed;
    if (builder->filter)
        __atomic_fetch_add(&builder->total, count, __ATOMIC_RELAXED);
    int status = builder->filter && one_at_a_time(builder) ? insert_locked(builder, source, count)
                                                           : add_with_scratch(builder, source, count);
    if (status != UF_OK)
        __atomic_store_n(&builder->failed, status, __ATOMIC_RELAXED);
    return status;
}

/* A part takes those of the keys that belong to it, and no others count. While the size is not known, all of them are
 * collected: they say how large the whole is. */
static int add_keys(struct hash_builder *builder, struct hash_source *source, size_t count)
{
    struct hash128 hash[16 * BATCH];
    int status = UF_OK;
    if (!builder->ops->own || !builder->filter)
        return add(builder, source, count);
    for (size_t done = 0, step; status == UF_OK && done < count; done += step) {
        step = count - done < 16 * BATCH ? count - done : 16 * BATCH;
        source->fill(source, hash, step);
        struct hash_source ready = source_of_hashes(hash);
        status = add(builder, &ready, builder->ops->own(builder->filter, hash, step));
    }
    return status;
}

static int hash_builder_add(void *state, const struct key_batch *batch, size_t count)
{
    struct hash_builder *builder = state;
    struct hash_source source = source_of_batch(builder->hasher, batch);
    return add_keys(builder, &source, count);
}

static int flush_group(void *arg, size_t g)
{
    struct hash_builder *builder = arg;
    for (struct scratch *scratch = builder->scratches; scratch; scratch = scratch->next)
        if (scratch->used[g])
            apply_group(scratch, (unsigned)g);
    return UF_OK;
}

static uint64_t held_back(const struct hash_builder *builder)
{
    uint64_t items = 0;
    for (const struct scratch *scratch = builder->scratches; scratch; scratch = scratch->next)
        for (unsigned g = 0; g < builder->groups; g++)
            items += scratch->used[g];
    return items;
}

/* What all threads hold back is the more the more of them there are: too much for one. */
static void flush(struct hash_builder *builder)
{
    unsigned threads = held_back(builder) < FEW_ITEMS ? 1 : builder->ctx.threads;
    (void)parallel_for(threads, builder->groups, flush_group, builder);
}

/* ---- parts ---- */

/* The hashes of all threads, in the first scratch; NULL when there is none. */
static struct hash_runs *join_runs(struct hash_builder *builder)
{
    struct scratch *first = builder->scratches;
    for (struct scratch *other = first ? first->next : NULL; other; other = other->next)
        runs_join(&first->runs, &other->runs);
    return first ? &first->runs : NULL;
}

static int check_parts(const struct hash_builder *builder, uf_error *why)
{
    if (builder->failed)
        return fail(why, builder->failed, "adding keys failed: %s", uf_status_text(builder->failed));
    if (builder->filter && builder->policy == FULL_SCALE)
        return fail(why, UF_EUNSUPPORTED,
                    "a builder with full=scale and a size fills one level after the other, and these cannot be merged: "
                    "leave out n and bits, so that keys are collected first, or leave out full=scale");
    if (builder->filter && !builder->ops->merge)
        return fail(why, UF_EUNSUPPORTED,
                    "%s filters cannot be merged: leave out n and bits, so that keys are collected first",
                    builder->ops->name);
    return UF_OK;
}

static int hash_builder_lend(void *state, struct partial *out, uf_error *why)
{
    struct hash_builder *builder = state;
    int status = check_parts(builder, why);
    if (status != UF_OK)
        return status;
    if (builder->filter) {
        flush(builder);
        *out = (struct partial){.total = builder->total, .filter = builder->filter};
        return UF_OK;
    }
    out->runs = join_runs(builder);
    out->total = out->runs ? runs_total(out->runs) : 0;
    return UF_OK;
}

/* Bits are ORed and counts added, so it does not matter what threads still hold back. */
static int take_filter(struct hash_builder *builder, const struct partial *from, uf_error *why)
{
    const size_t words = builder->filter->word_count, step = PROGRESS_STEP / sizeof *builder->filter->words;
    struct progress progress;
    int status = UF_OK;
    progress_start(&progress, builder->ctx.progress, builder->ctx.progress_arg, words * sizeof *builder->filter->words);
    for (size_t at = 0; status == UF_OK && at < words; at += step) {
        size_t count = words - at < step ? words - at : step;
        builder->ops->merge(builder->filter, from->filter, at, count);
        status = progress_add(&progress, count * sizeof *builder->filter->words);
    }
    if (status == UF_OK)
        builder->total += from->total;
    else
        builder->failed = progress_stopped(&progress, why);
    progress_end(&progress);
    return status;
}

static int take_runs(struct hash_builder *builder, const struct partial *from, uf_error *why)
{
    struct scratch *scratch = scratch_take(builder);
    int status = scratch ? runs_take(&scratch->runs, from->runs) : UF_ENOMEM;
    if (scratch)
        scratch_return(builder, scratch);
    return status == UF_OK ? UF_OK : fail(why, status, "no memory for %llu keys", (unsigned long long)from->total);
}

static int hash_builder_take(void *state, const struct partial *from, uf_error *why)
{
    struct hash_builder *builder = state;
    int status = check_parts(builder, why);
    if (status != UF_OK || !from->total)
        return status;
    return builder->filter ? take_filter(builder, from, why) : take_runs(builder, from, why);
}

/* ---- the end ---- */

/* The scratch memory of collecting has no items, so it goes before the direct way starts. */
static struct hash_runs gather_runs(struct hash_builder *builder)
{
    struct hash_runs all = {.mem = &builder->mem};
    while (builder->scratches) {
        struct scratch *scratch = builder->scratches;
        builder->scratches = scratch->next;
        runs_join(&all, &scratch->runs);
        mem_free(&builder->mem, scratch, 1, sizeof *scratch);
    }
    builder->idle = NULL;
    return all;
}

struct inserting {
    struct hash_builder *builder;
    const struct hash_runs *runs;
};

static int insert_group(void *arg, size_t g)
{
    const struct inserting *inserting = arg;
    int status = UF_OK;
    for (const struct run_piece *piece = inserting->runs->group[g]; piece && status == UF_OK; piece = piece->next) {
        struct hash_source source = source_of_hashes(piece->hash);
        status = add_keys(inserting->builder, &source, piece->used);
    }
    return status;
}

/* A kind that grows, its size known at last. */
static int insert_runs(struct hash_builder *builder, const struct hash_runs *runs, uf_error *why)
{
    struct inserting inserting = {builder, runs};
    int status = start_direct(builder, why);
    if (status != UF_OK)
        return status;
    status = parallel_for(builder->ctx.threads, RUN_GROUPS, insert_group, &inserting);
    return status == UF_OK ? UF_OK : fail(why, status, "%s", uf_status_text(status));
}

static int solve(struct hash_builder *builder, struct hash_runs *runs, uf_error *why)
{
    struct spec plan = builder->want;
    int status = builder->ops->plan(builder->ops, &plan, why);
    if (status != UF_OK)
        return status;
    return filter_solve(builder->ops, &plan, builder->hasher, runs, &builder->ctx, &builder->filter, why);
}

static int finish_collect(struct hash_builder *builder, uf_error *why)
{
    struct hash_runs runs = gather_runs(builder);
    int status;
    if (!builder->ops->declared && (!spec_text(&builder->want, "n") || builder->ops->solve))
        spec_set_number(&builder->want, "n", (double)runs_total(&runs));
    if (builder->ops->declared)
        status =
            private_build(builder->ops, &builder->want, builder->hasher, &runs, &builder->ctx, &builder->filter, why);
    else if (builder->ops->solve)
        status = solve(builder, &runs, why);
    else
        status = insert_runs(builder, &runs, why);
    runs_free(&runs);
    return status;
}

static int hash_builder_finish(void *state, uf_filter **out, uint64_t *total, uf_error *why)
{
    struct hash_builder *builder = state;
    if (builder->failed)
        return fail(why, builder->failed, "adding keys failed: %s", uf_status_text(builder->failed));
    int status = builder->filter ? UF_OK : finish_collect(builder, why);
    if (status != UF_OK)
        return status;
    flush(builder);
    *total = builder->total;
    if (builder->generations)
        status = window_wrap(builder->filter, builder->generations, builder->policy, &builder->ctx, out, why);
    else
        *out = builder->filter;
    if (status == UF_OK)
        builder->filter = NULL;
    return status;
}

static void hash_builder_free(void *state)
{
    struct hash_builder *builder = state;
    if (!builder)
        return;
    struct mem mem = builder->mem;
    while (builder->scratches) {
        struct scratch *scratch = builder->scratches;
        builder->scratches = scratch->next;
        runs_free(&scratch->runs);
        mem_free(&mem, scratch->item, builder->groups * SCATTER_CAPACITY, sizeof *scratch->item);
        mem_free(&mem, scratch, 1, sizeof *scratch);
    }
    uf_free(builder->filter);
    pthread_mutex_destroy(&builder->lock);
    for (unsigned g = 0; g < MOST_GROUPS; g++)
        pthread_mutex_destroy(&builder->group_lock[g]);
    mem_free(&mem, builder, 1, sizeof *builder);
}

const struct builder_ops hash_builder = {
    .start = hash_builder_start,
    .add = hash_builder_add,
    .finish = hash_builder_finish,
    .lend = hash_builder_lend,
    .take = hash_builder_take,
    .free = hash_builder_free,
};
