/* SPDX-License-Identifier: MIT */
/*
 * Static kinds are built shard by shard, so that each part is solved in cache and threads take parts as they come. The
 * shard of a key is (upper half of h.hi * shards) >> 32. Their number is 1, 2, 4 ... 256 or a multiple of 256, so that
 * shards nest in the groups of hash_runs, or groups in shards.
 */
#ifndef UF_SHARDS_H
#define UF_SHARDS_H

#include "runs.h"

/* The fewest shards that hold n keys with at most `most` keys each on average. */
uint32_t shards_for(uint64_t n, uint32_t most);

/* (upper half of hash * range) >> 32: even to range / 2^32, and cheap. */
static inline uint32_t shards_scale(uint64_t hash, uint32_t range)
{
    return (uint32_t)((hash >> 32) * range >> 32);
}

struct shards {
    const struct hash_runs *runs;
    const uf_context *ctx; /* threads, progress */
    const struct mem *mem;
    uint32_t count;
    uint64_t *keys; /* per shard; filled by shards_count, freed by shards_end */
};

int shards_count(struct shards *shards);
void shards_end(struct shards *shards);

/* Calls work(arg, shard, keys) for every shard, with its shards->keys[shard] keys in memory that the callee may change.
 * Returns the first status that is not UF_OK; UF_ECANCELED when the progress callback says so. */
int shards_run(const struct shards *shards, int (*work)(void *arg, uint32_t shard, struct hash128 *keys), void *arg);

#endif
