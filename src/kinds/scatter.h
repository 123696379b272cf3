/* SPDX-License-Identifier: MIT */
/*
 * Inserts sorted by place, for builds by several threads. A kind turns its keys into items and pushes them; an item
 * goes to the group of its place, and a full group is handed on, to be applied under its lock. Hashing, splitting and
 * pushing are one loop: measured for blocked at 3e7 keys, 27 ns per key when they were three.
 *
 * Items of a group are applied in the order they came, each fetched APPLY_AHEAD items before its turn, so that none
 * waits for memory. Fetching 16 and then using 16 takes one latency for every 16: with blocked and 2 threads of a
 * Neoverse-N1 that was 13.2 ns per key at 10^8 keys, as slow as one thread, and is 8.1.
 */
#ifndef UF_SCATTER_H
#define UF_SCATTER_H

#include "ops.h"
#include "tiles.h"

enum { SCATTER_CAPACITY = 512, APPLY_AHEAD = 32 };

struct scatter {
    struct item *item;                       /* SCATTER_CAPACITY for each group */
    uint32_t *used;                          /* of each group */
    unsigned shift;                          /* the group of an item is place >> shift */
    void (*full)(void *ctx, unsigned group); /* must empty it */
    void *ctx;
};

INLINE void scatter_push(const struct scatter *scatter, uint64_t place, uint64_t what)
{
    unsigned group = (unsigned)(place >> scatter->shift);
    uint32_t used = scatter->used[group]++;
    scatter->item[(size_t)group * SCATTER_CAPACITY + used] = (struct item){place, what};
    if (used + 1 == SCATTER_CAPACITY)
        scatter->full(scatter->ctx, group);
}

typedef void scatter_key(const void *self, struct hash128 hash, const struct scatter *to);

/* Pushes the items of the next `count` keys. */
INLINE void scatter_run(const void *self, struct hash_source *source, size_t count, const struct scatter *to,
                        scatter_key *push)
{
    struct hash128 hash[TILE_SLOTS];
    struct scatter local = *to;
    if (source->words == WORDS_XXH3) {
        const unsigned char *word = source->at;
        uint64_t seed = source->hasher->seed;
        for (size_t i = 0; i < count; i++)
            push(self, hash_word(word + 8 * i, seed), &local);
        source->at = word + 8 * count;
        return;
    }
    for (size_t done = 0; done < count; done += TILE_SLOTS) {
        size_t size = count - done < TILE_SLOTS ? count - done : TILE_SLOTS;
        source->fill(source, hash, size);
        for (size_t i = 0; i < size; i++)
            push(self, hash[i], &local);
    }
}

/* What applying items takes: the address that an item changes, and the change. */
typedef void *apply_find(const void *self, const struct item *item);
typedef void apply_use(const void *self, const struct item *item, unsigned variant);

INLINE void apply_run(const void *self, const struct item *items, size_t count, apply_find *find, apply_use *use,
                      unsigned variant)
{
    size_t start = count < APPLY_AHEAD ? count : APPLY_AHEAD;
    for (size_t i = 0; i < start; i++)
        prefetch_write(find(self, &items[i]));
    for (size_t i = 0; i < count - start; i++) {
        prefetch_write(find(self, &items[i + APPLY_AHEAD]));
        use(self, &items[i], variant);
    }
    for (size_t i = count - start; i < count; i++)
        use(self, &items[i], variant);
}

/* For kinds whose places are words. */
INLINE void *apply_find_word(const void *words, const struct item *item)
{
    return (uint64_t *)words + item->place;
}

#endif
