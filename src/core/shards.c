/* SPDX-License-Identifier: MIT */
#include "shards.h"

#include <pthread.h>

#include "arith.h"
#include "parallel.h"

uint32_t shards_for(uint64_t n, uint32_t most)
{
    uint32_t shards = 1;
    while (shards < RUN_GROUPS && n > (uint64_t)shards * most)
        shards *= 2;
    return shards < RUN_GROUPS ? shards : RUN_GROUPS * (uint32_t)ceil_div(n, (uint64_t)RUN_GROUPS * most);
}

/* The work is cut into pieces: one group of hashes with its shards, or one shard with its groups. */
struct pieces {
    const struct shards *shards;
    size_t count;
    uint32_t shards_each, groups_each; /* consecutive ones; one of the two is 1 */
    uint64_t most_keys;
    int (*work)(void *arg, uint32_t shard, struct hash128 *keys);
    void *arg;
    pthread_mutex_t lock; /* of `done` and the progress callback */
    uint64_t done, total;
};

static struct pieces cut(const struct shards *shards)
{
    struct pieces pieces = {.shards = shards, .lock = PTHREAD_MUTEX_INITIALIZER};
    pieces.count = shards->count < RUN_GROUPS ? shards->count : RUN_GROUPS;
    pieces.shards_each = shards->count / (uint32_t)pieces.count;
    pieces.groups_each = RUN_GROUPS / (uint32_t)pieces.count;
    return pieces;
}

typedef void each_key(void *arg, uint32_t shard, struct hash128 hash);

static inline __attribute__((always_inline)) void walk(const struct pieces *pieces, size_t index, each_key *each,
                                                       void *arg)
{
    for (size_t g = index * pieces->groups_each; g < (index + 1) * pieces->groups_each; g++)
        for (const struct run_piece *piece = pieces->shards->runs->group[g]; piece; piece = piece->next)
            for (uint32_t i = 0; i < piece->used; i++)
                each(arg, shards_scale(piece->hash[i].hi, pieces->shards->count), piece->hash[i]);
}

static inline void count_key(void *arg, uint32_t shard, struct hash128 hash)
{
    (void)hash;
    ((uint64_t *)arg)[shard]++;
}

static int count_piece(void *arg, size_t index)
{
    const struct pieces *pieces = arg;
    walk(pieces, index, count_key, pieces->shards->keys);
    return UF_OK;
}

int shards_count(struct shards *shards)
{
    shards->keys = mem_alloc(shards->mem, shards->count, sizeof *shards->keys);
    if (!shards->keys)
        return UF_ENOMEM;
    struct pieces pieces = cut(shards);
    if (pieces.shards_each > 1)
        return parallel_for(shards->ctx->threads, pieces.count, count_piece, &pieces);
    for (uint32_t g = 0; g < RUN_GROUPS; g++) /* a shard has whole groups */
        shards->keys[g / pieces.groups_each] += shards->runs->count[g];
    return UF_OK;
}

void shards_end(struct shards *shards)
{
    mem_free(shards->mem, shards->keys, shards->count, sizeof *shards->keys);
    shards->keys = NULL;
}

/* Where the next key of each shard of a piece goes. */
struct places {
    struct hash128 *keys;
    uint64_t *next;
    uint32_t first;
};

static inline void place_key(void *arg, uint32_t shard, struct hash128 hash)
{
    const struct places *places = arg;
    places->keys[places->next[shard - places->first]++] = hash;
}

static int report(struct pieces *pieces, uint64_t keys)
{
    const uf_context *ctx = pieces->shards->ctx;
    if (!ctx->progress)
        return UF_OK;
    pthread_mutex_lock(&pieces->lock);
    pieces->done += keys;
    int stop = ctx->progress(ctx->progress_arg, pieces->done, pieces->total);
    pthread_mutex_unlock(&pieces->lock);
    return stop ? UF_ECANCELED : UF_OK;
}

/* Copies the keys of a piece, grouped by shard, then hands out shard after shard. */
static int run_piece(void *arg, size_t index)
{
    struct pieces *pieces = arg;
    const struct mem *mem = pieces->shards->mem;
    const uint64_t *counts = pieces->shards->keys;
    struct places places = {.first = (uint32_t)index * pieces->shards_each};
    uint64_t sum = 0;
    places.keys = mem_alloc_dirty(mem, (size_t)pieces->most_keys, sizeof *places.keys);
    places.next = mem_alloc_dirty(mem, pieces->shards_each, sizeof *places.next);
    int status = places.keys && places.next ? UF_OK : UF_ENOMEM;
    for (uint32_t s = 0; status == UF_OK && s < pieces->shards_each; s++) {
        places.next[s] = sum;
        sum += counts[places.first + s];
    }
    if (status == UF_OK)
        walk(pieces, index, place_key, &places);
    sum = 0;
    for (uint32_t s = 0; status == UF_OK && s < pieces->shards_each; s++) {
        status = pieces->work(pieces->arg, places.first + s, places.keys + sum);
        sum += counts[places.first + s];
    }
    mem_free(mem, places.keys, (size_t)pieces->most_keys, sizeof *places.keys);
    mem_free(mem, places.next, pieces->shards_each, sizeof *places.next);
    return status == UF_OK ? report(pieces, sum) : status;
}

int shards_run(const struct shards *shards, int (*work)(void *arg, uint32_t shard, struct hash128 *keys), void *arg)
{
    struct pieces pieces = cut(shards);
    pieces.work = work;
    pieces.arg = arg;
    for (size_t i = 0; i < pieces.count; i++) {
        uint64_t keys = 0;
        for (uint32_t s = 0; s < pieces.shards_each; s++)
            keys += shards->keys[i * pieces.shards_each + s];
        pieces.most_keys = keys > pieces.most_keys ? keys : pieces.most_keys;
        pieces.total += keys;
    }
    return parallel_for(shards->ctx->threads, pieces.count, run_piece, &pieces);
}
