/* SPDX-License-Identifier: MIT */
/*
 * ribbon, the build: shard by shard (core/shards.h), each in cache. The number of its keys alone says how many words a
 * shard takes, so all are laid out first and then solved in place. They are independent, so the bytes are the same
 * whatever the number of threads.
 */
#include "ribbon.h"

#include <string.h>

#include "runs.h"
#include "shards.h"
#include "status.h"

enum { MOST_TRIES = 200 };

struct build {
    struct uf_filter *filter;
    const uint64_t *counts; /* keys per shard */
    size_t most_slots;      /* of a shard */
};

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

static int solve_in(struct build *build, uint32_t shard, const struct hash128 *keys, struct linear_row *row)
{
    struct uf_filter *filter = build->filter;
    struct ribbon *ribbon = PARAMS(struct ribbon, filter);
    uint64_t *entry = filter->words + (size_t)shard * RIBBON_TABLE_WORDS;
    uint32_t slots = (uint32_t)entry[1];
    struct linear system = {row, slots, ribbon->columns + (ribbon->extra != 0), ribbon->band, filter->cpu};
    struct target target = {ribbon, filter->words + (size_t)ribbon->shards * RIBBON_TABLE_WORDS + entry[0],
                            ribbon_boundary(slots - ribbon->band + 1, ribbon->extra)};
    struct linear_solution solution = {zero_slot, store_segment, &target};
    for (uint32_t attempt = 0; attempt < MOST_TRIES; attempt++) {
        uint32_t salt = attempt * UINT32_C(0x9e3779b1); /* any sequence that differs in many bits */
        if (!add_all(&system, ribbon, keys, build->counts[shard], salt))
            continue;
        entry[1] |= (uint64_t)salt << 32;
        linear_solve(&system, &solution);
        return UF_OK;
    }
    return UF_EBUILD;
}

static int solve_shard(void *arg, uint32_t shard, struct hash128 *keys)
{
    struct build *build = arg;
    const struct mem *mem = &build->filter->mem;
    struct linear_row *row = mem_alloc_dirty(mem, build->most_slots, sizeof *row);
    int status = row ? solve_in(build, shard, keys, row) : UF_ENOMEM;
    mem_free(mem, row, build->most_slots, sizeof *row);
    return status;
}

/* Decides where every shard lies. */
static int lay_out(struct build *build, uf_error *why)
{
    struct uf_filter *filter = build->filter;
    struct ribbon *ribbon = PARAMS(struct ribbon, filter);
    uint64_t offset = 0;
    for (uint32_t i = 0; i < ribbon->shards; i++)
        offset += ribbon_shard_words(ribbon, ribbon_slots(build->counts[i], ribbon->band, ribbon->slack));
    ribbon->words = offset;
    filter->word_count = (size_t)((uint64_t)ribbon->shards * RIBBON_TABLE_WORDS + offset + RIBBON_PAD_WORDS);
    filter->words = mem_alloc(&filter->mem, filter->word_count, sizeof *filter->words);
    if (!filter->words)
        return fail(why, UF_ENOMEM, "no memory for a filter of %zu bytes", filter->word_count * 8);
    offset = 0;
    for (uint32_t i = 0; i < ribbon->shards; i++) {
        uint32_t slots = ribbon_slots(build->counts[i], ribbon->band, ribbon->slack);
        filter->words[(size_t)i * RIBBON_TABLE_WORDS] = offset;
        filter->words[(size_t)i * RIBBON_TABLE_WORDS + 1] = slots;
        offset += ribbon_shard_words(ribbon, slots);
        build->most_slots = slots > build->most_slots ? slots : build->most_slots;
    }
    return UF_OK;
}

int ribbon_solve(struct uf_filter *filter, const struct spec *plan, struct hash_runs *runs, const uf_context *ctx,
                 uf_error *why)
{
    struct ribbon *ribbon = PARAMS(struct ribbon, filter);
    int status = filter->ops->shape(filter, plan, why);
    if (status != UF_OK)
        return status;
    ribbon->n = runs_total(runs);
    ribbon->shards = shards_for(ribbon->n, RIBBON_SHARD_KEYS);
    struct shards shards = {runs, ctx, &filter->mem, ribbon->shards, NULL};
    struct build build = {.filter = filter};
    status = shards_count(&shards);
    if (status != UF_OK)
        return fail(why, status, "no memory to count the keys of %u shards", ribbon->shards);
    build.counts = shards.keys;
    status = lay_out(&build, why);
    if (status == UF_OK) {
        status = shards_run(&shards, solve_shard, &build);
        if (status == UF_EBUILD)
            fail(why, status, "the equations had no solution in %d tries: raise slack=%g", MOST_TRIES, ribbon->slack);
        else if (status != UF_OK)
            fail(why, status, "%s", uf_status_text(status));
    }
    shards_end(&shards);
    return status;
}
