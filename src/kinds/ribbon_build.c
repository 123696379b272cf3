/* SPDX-License-Identifier: MIT */
/*
 * ribbon, the build: one shard at a time, each in cache. Two rounds over the shards: the first finds out how many words
 * each takes (that needs only its number of keys), the second solves it in place. Shards are independent, so
 * threads take them as they come and the bytes are the same whatever their number.
 */
#include "ribbon.h"

#include <pthread.h>
#include <string.h>

#include "parallel.h"
#include "runs.h"
#include "status.h"

enum { MOST_TRIES = 200 };

/* The work is cut into pieces: one group of hashes with its shards, or one shard with its groups. */
struct job {
    struct uf_filter *filter;
    const struct hash_runs *runs;
    const uf_context *ctx;
    uint64_t *counts;                            /* keys per shard */
    uint64_t shards_per_piece, groups_per_piece; /* consecutive ones; one of the two is 1 */
    size_t pieces;
    uint64_t most_keys;   /* of a piece */
    size_t most_slots;    /* of a shard */
    pthread_mutex_t lock; /* of `done` and the progress callback */
    uint64_t done;
};

static uint64_t shard_of(const struct job *job, struct hash128 hash)
{
    return ribbon_scale(hash.hi, PARAMS(struct ribbon, job->filter)->shards);
}

static void count_piece(const struct job *job, uint64_t index)
{
    for (uint64_t g = index * job->groups_per_piece; g < (index + 1) * job->groups_per_piece; g++)
        for (const struct run_piece *piece = job->runs->group[g]; piece; piece = piece->next)
            for (uint32_t i = 0; i < piece->used; i++)
                job->counts[shard_of(job, piece->hash[i])]++;
}

static int count_work(void *arg, size_t index)
{
    count_piece(arg, index);
    return UF_OK;
}

/* Copies the keys of a piece, grouped by shard; next[s] is then where the keys of shard s end. */
static void gather(const struct job *job, uint64_t index, struct hash128 *keys, uint64_t *next)
{
    uint64_t first = index * job->shards_per_piece, sum = 0;
    for (uint64_t s = 0; s < job->shards_per_piece; s++) {
        next[s] = sum;
        sum += job->counts[first + s];
    }
    for (uint64_t g = index * job->groups_per_piece; g < (index + 1) * job->groups_per_piece; g++)
        for (const struct run_piece *piece = job->runs->group[g]; piece; piece = piece->next)
            for (uint32_t i = 0; i < piece->used; i++)
                keys[next[shard_of(job, piece->hash[i]) - first]++] = piece->hash[i];
}

struct target {
    const struct ribbon *ribbon;
    uint64_t *words; /* of the shard */
    uint32_t boundary;
};

static uint64_t zero_slot(void *ctx, size_t slot)
{
    (void)ctx, (void)slot;
    return 0;
}

static void store_segment(void *ctx, size_t g, const uint64_t *column)
{
    const struct target *target = ctx;
    uint32_t at = ribbon_segment(target->ribbon, target->boundary, (uint32_t)g);
    uint32_t end = ribbon_segment(target->ribbon, target->boundary, (uint32_t)g + 1);
    memcpy(target->words + at, column, (end - at) * sizeof *column);
}

/* One try at one shard: all equations, or the first one that contradicts the others. */
static int add_all(struct linear *system, const struct ribbon *ribbon, const struct hash128 *keys, uint64_t count,
                   uint32_t salt)
{
    uint32_t starts = (uint32_t)system->slots - ribbon->band + 1;
    uint64_t used = (UINT64_C(1) << system->columns) - 1;
    memset(system->row, 0, system->slots * sizeof *system->row);
    for (uint64_t i = 0; i < count; i++) {
        struct ribbon_row row = ribbon_row_of(keys[i], salt, starts, ribbon->band);
        if (linear_add(system, row.start, row.c, row.fingerprint & used) == LINEAR_CONFLICT)
            return 0;
    }
    return 1;
}

static int solve_shard(struct job *job, uint64_t shard, const struct hash128 *keys, struct linear_row *row)
{
    struct ribbon *ribbon = PARAMS(struct ribbon, job->filter);
    uint64_t *entry = job->filter->words + shard * RIBBON_TABLE_WORDS;
    uint32_t slots = (uint32_t)entry[1];
    struct linear system = {row, slots, ribbon->columns + (ribbon->extra != 0), ribbon->band};
    struct target target = {ribbon, job->filter->words + (size_t)ribbon->shards * RIBBON_TABLE_WORDS + entry[0],
                            ribbon_boundary(slots - ribbon->band + 1, ribbon->extra)};
    struct linear_solution solution = {zero_slot, store_segment, &target};
    for (uint32_t attempt = 0; attempt < MOST_TRIES; attempt++) {
        uint32_t salt = attempt * UINT32_C(0x9e3779b1); /* any sequence that differs in many bits */
        if (!add_all(&system, ribbon, keys, job->counts[shard], salt))
            continue;
        entry[1] |= (uint64_t)salt << 32;
        linear_solve(&system, &solution);
        return UF_OK;
    }
    return UF_EBUILD;
}

static int report(struct job *job, uint64_t keys)
{
    int stop = 0;
    if (!job->ctx->progress)
        return UF_OK;
    pthread_mutex_lock(&job->lock);
    job->done += keys;
    stop = job->ctx->progress(job->ctx->progress_arg, job->done, PARAMS(struct ribbon, job->filter)->n);
    pthread_mutex_unlock(&job->lock);
    return stop ? UF_ECANCELED : UF_OK;
}

static int solve_piece(void *arg, size_t index)
{
    struct job *job = arg;
    const struct mem *mem = &job->filter->mem;
    uint64_t first = index * job->shards_per_piece, from = 0;
    struct hash128 *keys = mem_alloc_dirty(mem, (size_t)job->most_keys, sizeof *keys);
    uint64_t *next = mem_alloc_dirty(mem, (size_t)job->shards_per_piece, sizeof *next);
    struct linear_row *row = mem_alloc_dirty(mem, job->most_slots, sizeof *row);
    int status = keys && next && row ? UF_OK : UF_ENOMEM;
    if (status == UF_OK)
        gather(job, index, keys, next);
    for (uint64_t s = 0; status == UF_OK && s < job->shards_per_piece; s++) {
        status = solve_shard(job, first + s, keys + from, row);
        from = next[s];
    }
    mem_free(mem, keys, (size_t)job->most_keys, sizeof *keys);
    mem_free(mem, next, (size_t)job->shards_per_piece, sizeof *next);
    mem_free(mem, row, job->most_slots, sizeof *row);
    return status == UF_OK ? report(job, from) : status;
}

/* Decides where every shard lies, which takes only the number of its keys. */
static int lay_out(struct job *job, uf_error *why)
{
    struct uf_filter *filter = job->filter;
    struct ribbon *ribbon = PARAMS(struct ribbon, filter);
    uint64_t offset = 0;
    for (uint64_t i = 0; i < ribbon->shards; i++)
        offset += ribbon_shard_words(ribbon, ribbon_slots(job->counts[i], ribbon->band, ribbon->slack));
    ribbon->words = offset;
    filter->word_count = (size_t)((uint64_t)ribbon->shards * RIBBON_TABLE_WORDS + offset + RIBBON_PAD_WORDS);
    filter->words = mem_alloc(&filter->mem, filter->word_count, sizeof *filter->words);
    if (!filter->words)
        return fail(why, UF_ENOMEM, "no memory for a filter of %zu bytes", filter->word_count * 8);
    offset = 0;
    for (uint64_t i = 0; i < ribbon->shards; i++) {
        uint32_t slots = ribbon_slots(job->counts[i], ribbon->band, ribbon->slack);
        filter->words[i * RIBBON_TABLE_WORDS] = offset;
        filter->words[i * RIBBON_TABLE_WORDS + 1] = slots;
        offset += ribbon_shard_words(ribbon, slots);
        job->most_slots = slots > job->most_slots ? slots : job->most_slots;
    }
    return UF_OK;
}

static uint64_t largest_piece(const struct job *job)
{
    uint64_t most = 1;
    for (size_t i = 0; i < job->pieces; i++) {
        uint64_t keys = 0;
        for (uint64_t s = 0; s < job->shards_per_piece; s++)
            keys += job->counts[i * job->shards_per_piece + s];
        most = keys > most ? keys : most;
    }
    return most;
}

int ribbon_solve(struct uf_filter *filter, const struct spec *plan, struct hash_runs *runs, const uf_context *ctx,
                 uf_error *why)
{
    struct ribbon *ribbon = PARAMS(struct ribbon, filter);
    int status = filter->ops->shape(filter, plan, why);
    if (status != UF_OK)
        return status;
    ribbon->n = runs_total(runs);
    ribbon->shards = ribbon_shards(ribbon->n);
    struct job job = {.filter = filter, .runs = runs, .ctx = ctx, .lock = PTHREAD_MUTEX_INITIALIZER};
    int few = ribbon->shards < RUN_GROUPS;
    job.pieces = few ? ribbon->shards : RUN_GROUPS;
    job.shards_per_piece = few ? 1 : ribbon->shards / RUN_GROUPS;
    job.groups_per_piece = RUN_GROUPS / job.pieces;
    job.counts = mem_alloc(&filter->mem, ribbon->shards, sizeof *job.counts);
    if (!job.counts)
        return fail(why, UF_ENOMEM, "no memory to count the keys of %u shards", ribbon->shards);
    (void)parallel_for(ctx->threads, job.pieces, count_work, &job);
    job.most_keys = largest_piece(&job);
    status = lay_out(&job, why);
    if (status == UF_OK) {
        status = parallel_for(ctx->threads, job.pieces, solve_piece, &job);
        if (status == UF_EBUILD)
            fail(why, status, "the equations had no solution in %d tries: raise slack=%g", MOST_TRIES, ribbon->slack);
        else if (status != UF_OK)
            fail(why, status, "%s", uf_status_text(status));
    }
    mem_free(&filter->mem, job.counts, ribbon->shards, sizeof *job.counts);
    return status;
}
