/* SPDX-License-Identifier: MIT */
/*
 * dpset, the build. Each shard is tried with a fresh seed and fresh coins until its equations are independent; nothing
 * of a failed try, not even that there was one, shows in the file. A row that follows from others counts as failed,
 * too: the proof needs independent rows, not only consistent ones.
 *
 * How many keys there are in a shard follows from the key `prf`, which is drawn here. A shard of binary columns with
 * more than it takes is refused, and that is a delta. One of mixed radix (dpset_radix.c) counts the keys that are
 * planted, not those that are there, since refusals that depend on keys without a trace in the file would be a delta,
 * too. When the first try of any shard plants too many, everything is drawn again, prf and all: then the chance of a
 * file is the average over all ways to cut the keys into shards, and one key more or less changes it by as good as
 * nothing. A later try of that shard that plants too many is a failed one like others.
 */
#include "dpset_build.h"

#include <math.h>
#include <string.h>

#include "aes_bitsliced.h"
#include "context.h"
#include "distinct.h"
#include "private.h"
#include "runs.h"
#include "sample.h"
#include "status.h"

enum { SEED_BYTES = 32 };

struct build {
    struct uf_filter *filter;
    const struct dpset_calls *calls;
    int sorted;             /* the keys of a shard in one order, so that a set has one outcome */
    const uint64_t *counts; /* keys per shard, duplicates included */
    unsigned char *seeds;   /* SEED_BYTES of randomness per shard */
    size_t slots;           /* of all groups of a shard together */
    uint64_t distinct;      /* of all shards; atomic */
    int crowded;            /* a shard got more keys than its share; atomic */
    struct radix_work work;
    struct aes_key mixed; /* what keys were mixed with when all was drawn again, bitsliced */
    int again;            /* they were */
};

/* ---- one shard ---- */

struct shard {
    const struct dpset *dpset;
    const struct dpset_calls *calls;
    struct linear system[DPSET_MOST_GROUPS];
    struct sampler *sampler;
    uint64_t *words; /* where its solution goes */
};

/* How many groups a planted number constrains: down to the one that ends at the highest bit in which it differs. */
static uint32_t depth_of(const struct dpset *dpset, uint64_t number)
{
    uint32_t highest = 63 - (uint32_t)__builtin_clzll(number ^ dpset->accept), depth = 1;
    while (dpset->group[depth - 1].low > highest)
        depth++;
    return dpset->variant == DPSET_DYADIC ? depth : 1;
}

static int plant(struct shard *shard, struct hash128 g, uint64_t number)
{
    const struct dpset *dpset = shard->dpset;
    uint64_t value = number ^ (g.lo & UINT32_MAX);
    uint32_t depth = depth_of(dpset, number);
    for (uint32_t i = 0; i < depth; i++) {
        const struct dpset_group *group = &dpset->group[i];
        uint32_t start = shards_scale(g.lo, group->slots - DPSET_BAND + 1);
        uint64_t bits = value >> group->low & ((UINT64_C(1) << group->columns) - 1);
        if (linear_add(&shard->system[i], start, (struct coefficient){g.hi | 1, 0}, bits) != LINEAR_ADDED)
            return 0;
    }
    return 1;
}

/* All coins are drawn for every key, whether they are needed or not. */
static int plant_all(struct shard *shard, const struct hash128 *rows, uint64_t count)
{
    for (uint32_t i = 0; i < shard->dpset->groups; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): solve_with gave each of these groups its rows */
        memset(shard->system[i].row, 0, shard->system[i].slots * sizeof(struct linear_row));
    for (uint64_t i = 0; i < count; i++) {
        int erased = sample_coin(shard->sampler, shard->dpset->erase);
        uint64_t number = sample_below(shard->sampler, shard->dpset->accept);
        if (!erased && !plant(shard, rows[i], number))
            return 0;
    }
    return 1;
}

struct target {
    uint64_t *words;
    uint32_t columns;
    struct sampler *sampler;
};

static uint64_t random_slot(void *ctx, size_t slot)
{
    (void)slot;
    return sample_u64(((struct target *)ctx)->sampler);
}

static void store_segment(void *ctx, size_t segment, const uint64_t *column)
{
    const struct target *target = ctx;
    memcpy(target->words + segment * target->columns, column, target->columns * sizeof *column);
}

static int try_shard(struct shard *shard, uint64_t seed[2], const struct hash128 *keys, uint64_t count,
                     struct hash128 *rows)
{
    for (int attempt = 0; attempt < DPSET_MOST_TRIES; attempt++) {
        seed[0] = sample_u64(shard->sampler);
        seed[1] = sample_u64(shard->sampler);
        if (shard->sampler->status != UF_OK)
            return shard->sampler->status;
        shard->calls->rows(shard->dpset, seed, keys, count, rows);
        if (!plant_all(shard, rows, count))
            continue;
        for (uint32_t i = 0; i < shard->dpset->groups; i++) {
            struct target target = {shard->words + shard->dpset->group[i].offset, shard->dpset->group[i].columns,
                                    shard->sampler};
            struct linear_solution solution = {random_slot, store_segment, &target};
            linear_solve(&shard->system[i], &solution);
        }
        return UF_OK;
    }
    return UF_EBUILD;
}

/* What a thread works in. */
struct bench {
    struct linear_row *equations; /* build->slots */
    struct hash128 *rows;         /* one per key */
    struct sampler sampler;
};

static int solve_binary(const struct build *build, uint32_t index, const struct hash128 *keys, uint64_t count,
                        struct bench *bench)
{
    struct uf_filter *filter = build->filter;
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    struct shard shard = {.dpset = dpset, .calls = build->calls, .sampler = &bench->sampler};
    struct linear_row *equations = bench->equations;
    for (uint32_t i = 0; i < dpset->groups; i++) {
        shard.system[i] =
            (struct linear){equations, dpset->group[i].slots, dpset->group[i].columns, DPSET_BAND, filter->cpu};
        equations += dpset->group[i].slots;
    }
    shard.words = dpset_shard(filter, index);
    return try_shard(&shard, filter->words + DPSET_SEED_WORDS * (size_t)index, keys, count, bench->rows);
}

static int is_radix(const struct build *build)
{
    return CONST_PARAMS(struct dpset, build->filter)->variant == DPSET_RADIX;
}

static int solve_with(struct build *build, uint32_t index, const struct hash128 *keys, uint64_t count,
                      struct bench *bench)
{
    struct rng rng;
    int status = rng_open_seeded(&rng, build->seeds + (size_t)index * SEED_BYTES);
    if (status != UF_OK)
        return status;
    sampler_start(&bench->sampler, &rng);
    if (is_radix(build))
        status = radix_shard(build->filter, build->calls, &build->work, &bench->sampler, index, keys, count);
    else
        status = solve_binary(build, index, keys, count, bench);
    int drawn = sampler_end(&bench->sampler);
    rng_close(&rng);
    if (drawn == UF_OK && status == RADIX_CROWDED) {
        __atomic_store_n(&build->crowded, 1, __ATOMIC_RELAXED);
        return UF_OK;
    }
    return status == UF_OK ? drawn : status;
}

/* A key planted twice would lose twice as much. */
static int drop_duplicates(const struct build *build, struct hash128 *keys, uint64_t *count)
{
    if (!build->sorted)
        return distinct_keys(&build->filter->mem, keys, count);
    distinct_sorted(keys, count);
    return UF_OK;
}

/* dpset.h has the reason. LEF_ETA was measured for shards this full, too. */
static uint64_t most_keys(const struct dpset *dpset)
{
    double each = (double)dpset->n / dpset->shards, l = log(dpset->shards) - log(DPSET_CROWDED);
    return dpset->shards > 1 ? (uint64_t)(each + l / 3 + sqrt(l * l / 9 + 2 * l * each)) : dpset->n;
}

/* A shard that is too full is not solved; the others are counted all the same, since there may be too many keys in all,
 * which is another error. */
static int check_capacity(struct build *build, uint64_t count, int *solvable)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, build->filter);
    int fits = is_radix(build) || count <= most_keys(dpset);
    if (!fits)
        __atomic_store_n(&build->crowded, 1, __ATOMIC_RELAXED);
    *solvable = fits && !__atomic_load_n(&build->crowded, __ATOMIC_RELAXED);
    return __atomic_add_fetch(&build->distinct, count, __ATOMIC_RELAXED) > dpset->n ? UF_EFULL : UF_OK;
}

/* Mixed radix has memory of its own. */
static int bench_open(const struct build *build, uint32_t index, struct bench *bench)
{
    const struct mem *mem = &build->filter->mem;
    if (is_radix(build))
        return UF_OK;
    bench->equations = mem_alloc_dirty(mem, build->slots, sizeof *bench->equations);
    bench->rows = mem_alloc_dirty(mem, (size_t)build->counts[index], sizeof *bench->rows);
    return bench->equations && bench->rows ? UF_OK : UF_ENOMEM;
}

static int solve_shard(void *arg, uint32_t index, struct hash128 *keys)
{
    struct build *build = arg;
    const struct mem *mem = &build->filter->mem;
    uint64_t count = build->counts[index];
    struct bench *bench = mem_alloc(mem, 1, sizeof *bench);
    int solvable = 0, status = bench ? bench_open(build, index, bench) : UF_ENOMEM;
    if (status == UF_OK)
        status = drop_duplicates(build, keys, &count);
    if (status == UF_OK)
        status = check_capacity(build, count, &solvable);
    if (status == UF_OK && solvable)
        status = solve_with(build, index, keys, count, bench);
    if (bench) {
        mem_free(mem, bench->rows, (size_t)build->counts[index], sizeof *bench->rows);
        mem_free(mem, bench->equations, build->slots, sizeof *bench->equations);
    }
    mem_free(mem, bench, 1, sizeof *bench);
    return status;
}

/* Everything random of a build comes from here, before the threads start: their number must not matter. */
static int draw_seeds(struct build *build, struct rng *rng, size_t bytes)
{
    int status = rng_bytes(rng, build->seeds, bytes);
    for (int i = 0; i < 2 && status == UF_OK; i++)
        status = rng_u64(rng, &PARAMS(struct dpset, build->filter)->prf[i]);
    return status;
}

/* Keys that were mixed before are what they were first. */
static void mix(void *arg, struct hash128 *hashes, size_t count)
{
    static const uint64_t none[2] = {0, 0};
    const struct build *build = arg;
    if (build->again)
        bitsliced_decrypt_many(&build->mixed, hashes, count);
    build->calls->rows(CONST_PARAMS(struct dpset, build->filter), none, hashes, count, hashes);
}

/* Once through all shards. */
static int draw_and_solve(struct build *build, struct hash_runs *runs, const uf_context *ctx, struct rng *rng,
                          size_t bytes)
{
    struct uf_filter *filter = build->filter;
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    struct shards shards = {runs, ctx, &filter->mem, dpset->shards, NULL};
    if (build->again)
        aes_expand(dpset->prf, AES_BITSLICED, &build->mixed);
    int status = draw_seeds(build, rng, bytes);
    if (status == UF_OK) {
        filter->ops->bind(filter);
        status = dpset->mixed ? runs_mix(runs, ctx->threads, mix, build) : UF_OK;
    }
    if (status == UF_OK)
        status = shards_count(&shards);
    build->counts = shards.keys;
    build->distinct = 0;
    build->crowded = 0;
    if (status == UF_OK)
        status = shards_run(&shards, solve_shard, build);
    shards_end(&shards);
    return status;
}

/* Until no shard is crowded, in mixed radix. */
static int solve_shards(struct build *build, struct hash_runs *runs, const uf_context *ctx, size_t bytes)
{
    struct rng rng;
    int status = rng_open(&rng, ctx), most = is_radix(build) ? DPSET_MOST_TRIES : 1;
    if (status != UF_OK)
        return status;
    for (int attempt = 0; attempt < most && status == UF_OK && (!attempt || build->crowded); attempt++) {
        build->again = attempt > 0;
        status = draw_and_solve(build, runs, ctx, &rng, bytes);
    }
    rng_close(&rng);
    return status == UF_OK && build->crowded ? UF_EBUILD : status;
}

static int solve_all(struct build *build, struct hash_runs *runs, const uf_context *ctx)
{
    struct uf_filter *filter = build->filter;
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    size_t bytes = (size_t)dpset->shards * SEED_BYTES;
    build->seeds = mem_alloc(&filter->mem, bytes, 1); /* wiped when it is freed */
    int status = is_radix(build) ? radix_work_start(filter, &build->work) : UF_OK;
    if (!build->seeds)
        status = UF_ENOMEM;
    for (uint32_t i = 0; i < dpset->groups && !is_radix(build); i++)
        build->slots += dpset->group[i].slots;
    if (status == UF_OK)
        status = solve_shards(build, runs, ctx, bytes);
    if (is_radix(build))
        radix_work_end(filter, &build->work);
    mem_free(&filter->mem, build->seeds, bytes, 1);
    return status;
}

static int explain(const struct build *build, int status, uf_error *why)
{
    if (status == UF_EBUILD && build->crowded)
        return fail(why, status,
                    "one part of the filter got more keys than its share (a chance of 2^-40 at most): run it again");
    if (status == UF_EBUILD)
        return fail(why, status, "the equations had no solution in %d tries: raise slack", DPSET_MOST_TRIES);
    if (status == UF_EFULL)
        return private_too_many(CONST_PARAMS(struct dpset, build->filter)->n,
                                CONST_PARAMS(struct dpset, build->filter)->count_noise, why);
    return fail(why, status, "%s", uf_status_text(status));
}

int dpset_solve(struct uf_filter *filter, const struct spec *plan, struct hash_runs *runs, const uf_context *ctx,
                uf_error *why)
{
    struct build build = {.filter = filter, .calls = dpset_calls_for(filter->cpu), .sorted = context_repeats(ctx)};
    int status = filter->ops->shape(filter, plan, why);
    if (status != UF_OK)
        return status;
    filter->words = mem_alloc(&filter->mem, filter->word_count, sizeof *filter->words);
    status = filter->words ? UF_OK : UF_ENOMEM;
    if (status == UF_OK)
        status = solve_all(&build, runs, ctx);
    return status == UF_OK ? UF_OK : explain(&build, status, why);
}
