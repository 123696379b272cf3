/* SPDX-License-Identifier: MIT */
/*
 * Building from batches. Two ways, by what is known when the first key comes:
 *
 *   direct   the kind grows and its size is known: keys go straight into the filter. With several threads each one
 *            splits its keys into items (kind.h), collects them in groups by place, and applies a full group under
 *            that group's lock. So no two threads touch the same word, there are no atomics, and since bits are only
 *            ever set, the bytes do not depend on who came first.
 *   collect  the kind is static or the number of keys is not known yet: hashes are kept (core/runs.h) until the end.
 *
 * Learned kinds have a third way of their own (learn.c), since they look at the keys. A filter that grows by a chain
 * (full=scale) goes the direct way, but one thread at a time, as a key may be in a level that others are filling.
 */
#include "filter.h"

#include <pthread.h>
#include <string.h>

#include "chain.h"
#include "chance.h"
#include "count.h"
#include "derive.h"
#include "keying.h"
#include "learn.h"
#include "parallel.h"
#include "rng.h"
#include "room.h"
#include "rounding.h"
#include "runs.h"
#include "scatter.h"
#include "status.h"
#include "survey.h"

enum { MOST_GROUPS = 256, BATCH = 64, SLICE = 1 << 16 };

/* What one thread works in; handed from call to call. */
struct desk {
    struct desk *next_idle, *next;
    uf_builder *builder;
    struct hash_runs runs; /* collect */
    struct item *item;     /* direct: groups * SCATTER_ROOM */
    uint32_t used[MOST_GROUPS];
};

struct uf_builder {
    struct mem mem;
    uf_context ctx;
    struct spec want;
    const struct filter_ops *ops;
    struct hasher hasher;
    struct learner *learner; /* owned: learned kinds, which neither collect nor grow */
    uf_filter *filter;       /* direct: owned until finished */
    uint32_t policy;         /* enum full_policy */
    uint64_t total;          /* direct: keys that came */
    int failed;              /* the first failure; nothing is added after it */
    int finished;
    unsigned groups, shift; /* direct: the group of an item is place >> shift */
    pthread_mutex_t lock;   /* of the lists of desks; of the filter, for kinds that cannot be scattered */
    struct desk *idle, *desks;
    pthread_mutex_t group_lock[MOST_GROUPS];
};

/* ---- making one ---- */

uint64_t seed_from_secret(const struct filter_ops *ops, const struct spec *spec, const uf_secret *secret)
{
    unsigned char key[32];
    struct reader reader = {key, 8, 0};
    uf_spec text = {""};
    (void)chance_text(ops, spec, &text); /* it was planned before, from as long a text */
    derive(secret->master, "hash seed", text.text, strlen(text.text), key);
    return read_uint(&reader, 8);
}

/* With a secret the seed of a private filter is fixed, too: it does not depend on the keys, which are not known yet.
 * A keyed filter of another kind has a new one each time, so that building it anew ends every false positive that
 * someone has found. */
static int draw_seed(uf_builder *builder, uf_error *why)
{
    struct rng rng;
    if (builder->ops->hash != HASH_XXH3 || spec_get_seed(&builder->want, "seed", &builder->hasher.seed, why) == 1)
        return UF_OK;
    if (builder->ctx.secret && (builder->ops->declared || !has_key(builder->ops, &builder->want))) {
        builder->hasher.seed = seed_from_secret(builder->ops, &builder->want, builder->ctx.secret);
        return UF_OK;
    }
    int status = rng_open(&rng, &builder->ctx);
    if (status == UF_OK) {
        status = rng_u64(&rng, &builder->hasher.seed);
        rng_close(&rng);
    }
    return status == UF_OK ? status : fail(why, status, "the system gave no randomness for the filter's seed");
}

static int start_hasher(uf_builder *builder, uf_error *why)
{
    struct hasher *hasher = &builder->hasher;
    const int keyed = has_key(builder->ops, &builder->want);
    hasher->kind = builder->ops->hash;
    if (keyed && !builder->ctx.secret)
        return fail(why, UF_EKEY, "a keyed filter needs a key, which 'ultrafilter keygen' makes");
    int status = keyed ? keying_kind(&builder->want, &hasher->kind, why) : UF_OK;
    if (status == UF_OK)
        status = draw_seed(builder, why);
    if (status == UF_OK && keyed)
        keying_start(hasher, builder->ctx.cpu, builder->ctx.secret);
    return status;
}

/* The number of keys may come later, but everything else that is wrong with a spec is said now. */
static int check_wish(const struct filter_ops *ops, const struct spec *want, int known, uf_error *why)
{
    struct spec trial = *want;
    if (spec_text(want, "n") && spec_text(want, "count_epsilon")) /* it would claim noise that nobody drew */
        return fail(why, UF_EINVAL, "n declares the capacity and count_epsilon counts it with noise: give one of them");
    if (!spec_text(want, "n") && (ops->declared ? spec_text(want, "count_epsilon") != NULL : !known))
        spec_set_number(&trial, "n", 1);
    return spec_plan(ops, &trial, why);
}

static int new_filter(uf_builder *builder, const struct spec *plan, uf_filter **out, uf_error *why)
{
    uf_filter *filter = NULL;
    int status = filter_new(builder->ops, &builder->ctx, &filter, why);
    if (status == UF_OK)
        status = builder->ops->shape(filter, plan, why);
    if (status == UF_OK)
        status = filter_allocate(filter, why);
    if (status != UF_OK) {
        uf_free(filter);
        return status;
    }
    filter->hasher = builder->hasher;
    room_open(filter, builder->policy == FULL_SCALE ? FULL_WARN : builder->policy, 0);
    if (filter->ops->bind)
        filter->ops->bind(filter);
    *out = filter;
    return UF_OK;
}

static int new_chain(uf_builder *builder, uf_error *why)
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

/* Groups of items are ranges of places of a power of two. Four times as many as threads: then two rarely want the same
 * one, and the places where a thread writes items stay few enough for its address cache. */
static void choose_groups(uf_builder *builder)
{
    builder->groups = 8;
    while (builder->groups < MOST_GROUPS && builder->groups < 4 * builder->ctx.threads)
        builder->groups *= 2;
    builder->shift = 0;
    if (builder->ops->places)
        while ((builder->ops->places(builder->filter) - 1) >> builder->shift >= builder->groups)
            builder->shift++;
}

static int start_direct(uf_builder *builder, uf_error *why)
{
    struct spec plan = builder->want;
    if (builder->policy == FULL_SCALE)
        return new_chain(builder, why);
    int status = builder->ops->plan(&plan, why);
    if (status == UF_OK)
        status = new_filter(builder, &plan, &builder->filter, why);
    if (status == UF_OK)
        choose_groups(builder);
    return status;
}

int uf_builder_new(const uf_spec *want, const uf_context *given, uf_builder **out, uf_error *why)
{
    uf_context ctx;
    struct spec spec;
    const struct filter_ops *ops;
    if (!want || !out)
        return fail(why, UF_EINVAL, "no spec was given");
    int status = context_read(given, &ctx, why);
    if (status == UF_OK)
        status = spec_read(want->text, &spec, &ops, why);
    if (status != UF_OK)
        return status;
    int known = spec_text(&spec, "n") || spec_text(&spec, "bits");
    status = check_wish(ops, &spec, known, why);
    if (status != UF_OK)
        return status;
    struct mem mem = {ctx.allocator};
    uf_builder *builder = mem_alloc(&mem, 1, sizeof *builder);
    if (!builder)
        return fail(why, UF_ENOMEM, "no memory for a builder");
    builder->mem = mem;
    builder->ctx = ctx;
    builder->want = spec;
    builder->ops = ops;
    (void)room_policy(&spec, ops, &builder->policy, NULL); /* spec_read has checked it */
    pthread_mutex_init(&builder->lock, NULL);
    for (unsigned g = 0; g < MOST_GROUPS; g++)
        pthread_mutex_init(&builder->group_lock[g], NULL);
    status = start_hasher(builder, why);
    if (status == UF_OK && ops->learned)
        status = learner_new(ops, &builder->want, &builder->hasher, &builder->ctx, &builder->learner, why);
    else if (status == UF_OK && known && !ops->solve)
        status = start_direct(builder, why);
    if (status == UF_OK)
        *out = builder;
    else
        uf_builder_free(builder);
    return status;
}

/* ---- desks ---- */

static struct desk *new_desk(uf_builder *builder)
{
    struct desk *desk = mem_alloc(&builder->mem, 1, sizeof *desk);
    if (!desk)
        return NULL;
    desk->builder = builder;
    desk->runs.mem = &builder->mem;
    if (builder->filter)
        desk->item = mem_alloc_dirty(&builder->mem, builder->groups * SCATTER_ROOM, sizeof *desk->item);
    pthread_mutex_lock(&builder->lock);
    desk->next = builder->desks;
    builder->desks = desk;
    pthread_mutex_unlock(&builder->lock);
    return builder->filter && !desk->item ? NULL : desk;
}

static struct desk *take_desk(uf_builder *builder)
{
    pthread_mutex_lock(&builder->lock);
    struct desk *desk = builder->idle;
    if (desk)
        builder->idle = desk->next_idle;
    pthread_mutex_unlock(&builder->lock);
    return desk ? desk : new_desk(builder);
}

static void leave_desk(uf_builder *builder, struct desk *desk)
{
    pthread_mutex_lock(&builder->lock);
    desk->next_idle = builder->idle;
    builder->idle = desk;
    pthread_mutex_unlock(&builder->lock);
}

/* ---- adding ---- */

static void apply_group(void *ctx, unsigned g)
{
    struct desk *desk = ctx;
    uf_builder *builder = desk->builder;
    pthread_mutex_lock(&builder->group_lock[g]);
    builder->filter->calls.apply(builder->filter, desk->item + g * SCATTER_ROOM, desk->used[g]);
    pthread_mutex_unlock(&builder->group_lock[g]);
    desk->used[g] = 0;
}

static void scatter(uf_builder *builder, struct desk *desk, struct hash_source *source, size_t count)
{
    struct scatter to = {desk->item, desk->used, builder->shift, apply_group, desk};
    builder->ops->scatter(builder->filter, source, count, &to);
}

static int collect(struct desk *desk, struct hash_source *source, size_t count)
{
    struct hash128 hash[BATCH];
    int status = UF_OK;
    while (status == UF_OK && count) {
        size_t step = count < BATCH ? count : BATCH;
        source->fill(source, hash, step);
        status = runs_add(&desk->runs, hash, step);
        count -= step;
    }
    return status;
}

/* For one thread, and for kinds whose inserts cannot be scattered. */
static int insert_locked(uf_builder *builder, struct hash_source *source, size_t count)
{
    int status = UF_OK;
    pthread_mutex_lock(&builder->lock);
    if (builder->policy == FULL_SCALE)
        status = room_insert(builder->filter, source, count);
    else
        builder->filter->calls.insert_many(builder->filter, source, count);
    pthread_mutex_unlock(&builder->lock);
    return status;
}

static int in_turn(const uf_builder *builder)
{
    return builder->ctx.threads == 1 || !builder->ops->scatter || builder->policy == FULL_SCALE;
}

static int add_at_desk(uf_builder *builder, struct hash_source *source, size_t count)
{
    struct desk *desk = take_desk(builder);
    int status = desk ? UF_OK : UF_ENOMEM;
    if (desk && builder->filter)
        scatter(builder, desk, source, count);
    else if (desk)
        status = collect(desk, source, count);
    if (desk)
        leave_desk(builder, desk);
    return status;
}

static int add(uf_builder *builder, struct hash_source *source, size_t count)
{
    if (builder->finished)
        return UF_EINVAL;
    int failed = __atomic_load_n(&builder->failed, __ATOMIC_RELAXED);
    if (failed)
        return failed;
    if (builder->filter)
        __atomic_fetch_add(&builder->total, count, __ATOMIC_RELAXED);
    int status = builder->filter && in_turn(builder) ? insert_locked(builder, source, count)
                                                     : add_at_desk(builder, source, count);
    if (status != UF_OK)
        __atomic_store_n(&builder->failed, status, __ATOMIC_RELAXED);
    return status;
}

int uf_builder_add(uf_builder *builder, const uf_key *keys, size_t count)
{
    if (builder->learner)
        return builder->finished ? UF_EINVAL : learner_add(builder->learner, keys, count);
    struct hash_source source = source_of_keys(&builder->hasher, keys);
    return add(builder, &source, count);
}

int uf_builder_add_fixed(uf_builder *builder, const void *keys, size_t key_bytes, size_t count)
{
    if (builder->learner)
        return builder->finished ? UF_EINVAL : learner_add_fixed(builder->learner, keys, key_bytes, count);
    struct hash_source source = source_of_fixed(&builder->hasher, keys, key_bytes);
    return add(builder, &source, count);
}

/* ---- the end ---- */

static void flush(uf_builder *builder)
{
    for (struct desk *desk = builder->desks; desk; desk = desk->next)
        for (unsigned g = 0; g < builder->groups; g++)
            if (desk->used[g])
                apply_group(desk, g);
}

/* The desks of collecting have no room for items, so they go before the direct way starts. */
static struct hash_runs gather_runs(uf_builder *builder)
{
    struct hash_runs all = {.mem = &builder->mem};
    while (builder->desks) {
        struct desk *desk = builder->desks;
        builder->desks = desk->next;
        runs_join(&all, &desk->runs);
        mem_free(&builder->mem, desk, 1, sizeof *desk);
    }
    builder->idle = NULL;
    return all;
}

struct inserting {
    uf_builder *builder;
    const struct hash_runs *runs;
};

static int insert_group(void *arg, size_t g)
{
    const struct inserting *inserting = arg;
    int status = UF_OK;
    for (const struct run_piece *piece = inserting->runs->group[g]; piece && status == UF_OK; piece = piece->next) {
        struct hash_source source = source_of_hashes(piece->hash);
        status = add(inserting->builder, &source, piece->used);
    }
    return status;
}

/* A kind that grows, its size known at last. */
static int insert_runs(uf_builder *builder, const struct hash_runs *runs, uf_error *why)
{
    struct inserting inserting = {builder, runs};
    int status = start_direct(builder, why);
    if (status != UF_OK)
        return status;
    status = parallel_for(builder->ctx.threads, RUN_GROUPS, insert_group, &inserting);
    return status == UF_OK ? UF_OK : fail(why, status, "%s", uf_status_text(status));
}

static int solve(uf_builder *builder, struct hash_runs *runs, const uf_context *ctx, uf_error *why)
{
    struct spec plan = builder->want;
    int status = builder->ops->plan(&plan, why);
    if (status == UF_OK)
        status = filter_new(builder->ops, ctx, &builder->filter, why);
    if (status != UF_OK)
        return status;
    builder->filter->hasher = builder->hasher;
    return builder->ops->solve(builder->filter, &plan, runs, ctx, why);
}

/* A capacity that nobody declared is a noisy count of the keys. */
static int draw_capacity(uf_builder *builder, uint64_t distinct, const uf_context *ctx)
{
    double epsilon = 0;
    struct rng rng;
    struct sampler *sampler = mem_alloc_dirty(&builder->mem, 1, sizeof *sampler);
    int status = sampler ? rng_open(&rng, ctx) : UF_ENOMEM;
    if (status == UF_OK) {
        sampler_start(sampler, &rng);
        (void)spec_get_number(&builder->want, "count_epsilon", &epsilon, NULL);
        spec_set_number(&builder->want, "n", (double)count_noisy(sampler, erase_threshold(epsilon), distinct));
        status = sampler_end(sampler);
        rng_close(&rng);
    }
    mem_free(&builder->mem, sampler, 1, sizeof *sampler);
    return status;
}

static int solve_private(uf_builder *builder, struct hash_runs *runs, uf_error *why)
{
    struct survey survey = {0};
    struct chance chance = {.fixed = 0};
    uf_spec text;
    int known = spec_text(&builder->want, "n") != NULL;
    int status = known && !builder->ctx.secret ? UF_OK : survey_keys(runs, &builder->ctx, &survey);
    if (status == UF_OK)
        status = chance_text(builder->ops, &builder->want, &text);
    if (status == UF_OK)
        status = chance_open(&chance, &builder->ctx, &text, builder->hasher.seed, survey.digest);
    if (status == UF_OK && !known)
        status = draw_capacity(builder, survey.distinct, &chance.ctx);
    if (status != UF_OK)
        fail(why, status, "%s", uf_status_text(status));
    else
        status = solve(builder, runs, &chance.ctx, why);
    chance_close(&chance);
    if (status == UF_OK)
        builder->filter->test_random = builder->ctx.random && !builder->ctx.secret;
    return status;
}

static int finish_collect(uf_builder *builder, uf_error *why)
{
    struct hash_runs runs = gather_runs(builder);
    int status;
    if (!builder->ops->declared && (!spec_text(&builder->want, "n") || builder->ops->solve))
        spec_set_number(&builder->want, "n", (double)runs_total(&runs));
    if (builder->ops->declared)
        status = solve_private(builder, &runs, why);
    else if (builder->ops->solve)
        status = solve(builder, &runs, &builder->ctx, why);
    else
        status = insert_runs(builder, &runs, why);
    runs_free(&runs);
    return status;
}

int uf_builder_finish(uf_builder *builder, uf_filter **out, uf_error *why)
{
    if (builder->finished)
        return fail(why, UF_EINVAL, "this builder has finished already");
    if (builder->failed) {
        builder->finished = 1;
        return fail(why, builder->failed, "adding keys failed: %s", uf_status_text(builder->failed));
    }
    int status = UF_OK;
    if (builder->learner) {
        builder->total = learner_count(builder->learner);
        status = learner_finish(builder->learner, &builder->filter, why);
    } else if (!builder->filter)
        status = finish_collect(builder, why);
    builder->finished = 1;
    if (status != UF_OK)
        return status;
    flush(builder);
    status = room_settle(builder->filter, builder->total, why);
    if (status != UF_OK)
        return status;
    *out = builder->filter;
    builder->filter = NULL;
    return UF_OK;
}

void uf_builder_free(uf_builder *builder)
{
    if (!builder)
        return;
    struct mem mem = builder->mem;
    while (builder->desks) {
        struct desk *desk = builder->desks;
        builder->desks = desk->next;
        runs_free(&desk->runs);
        mem_free(&mem, desk->item, builder->groups * SCATTER_ROOM, sizeof *desk->item);
        mem_free(&mem, desk, 1, sizeof *desk);
    }
    learner_free(builder->learner);
    uf_free(builder->filter);
    pthread_mutex_destroy(&builder->lock);
    for (unsigned g = 0; g < MOST_GROUPS; g++)
        pthread_mutex_destroy(&builder->group_lock[g]);
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
    return uf_builder_add(slices->builder, slices->keys + from, left < SLICE ? left : SLICE);
}

/* Private kinds must not know it. */
int spec_with_count(const uf_spec *want, uint64_t count, uf_spec *out, uf_error *why)
{
    struct spec parsed;
    const struct filter_ops *ops;
    *out = *want;
    int status = spec_read(want->text, &parsed, &ops, why);
    if (status != UF_OK || ops->declared || spec_text(&parsed, "n") || spec_text(&parsed, "bits"))
        return status;
    spec_set_number(&parsed, "n", (double)count);
    return spec_print(&parsed, out, why);
}

int uf_build(const uf_spec *want, const uf_key *keys, size_t count, const uf_context *ctx, uf_filter **out,
             uf_error *why)
{
    struct slices slices = {NULL, keys, count};
    uf_spec spec;
    if (!want || (!keys && count) || !out)
        return fail(why, UF_EINVAL, "no spec or no keys were given");
    int status = spec_with_count(want, count, &spec, why);
    if (status == UF_OK)
        status = uf_builder_new(&spec, ctx, &slices.builder, why);
    if (status != UF_OK)
        return status;
    unsigned threads =
        slices.builder->ops->hash == HASH_FNV1 ? 1 : slices.builder->ctx.threads; /* order matters there */
    (void)parallel_for(threads, (count + SLICE - 1) / SLICE, add_slice, &slices); /* finish says what failed */
    status = uf_builder_finish(slices.builder, out, why);
    uf_builder_free(slices.builder);
    return status;
}
