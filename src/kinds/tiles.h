/* SPDX-License-Identifier: MIT */
/*
 * The loop every bulk operation runs in. A random cache line takes 100 to 300 ns to arrive, so each key is turned into
 * addresses and prefetched TILE keys before it is used:
 *
 *     for each i:  use key i;  hash key i + TILE, find its positions, prefetch them, into the slot that i left
 *
 * Prefetches go to the second cache level: measured on a Neoverse-N1 over 119 MiB, one line costs 7.3 ns so and
 * 11.0 ns when prefetched to the first, which has fewer misses in flight. `prepare` and `use` are inlined with
 * constant arguments, so each kind gets its own copy of the loop. Keys of 8 bytes are hashed inside it, where the
 * multiplications overlap with the rest; other keys are hashed a tile at a time.
 */
#ifndef UF_TILES_H
#define UF_TILES_H

#include "hash_inline.h"

enum { TILE = 32 };

#define INLINE static inline __attribute__((always_inline))

INLINE void prefetch_read(const void *address)
{
    __builtin_prefetch(address, 0, 2);
}

INLINE void prefetch_write(const void *address)
{
    __builtin_prefetch(address, 1, 2);
}

/*
 * What a kind puts into the loop. self: what both functions need to know; a local copy of a few fields, so that the
 * compiler can keep them in registers. slot: scratch for what `prepare` found out about a key and `use` needs. `use`
 * gets the index of the key from the start. variant is handed through: with a constant, one pair of functions serves
 * several loops.
 */
typedef void tile_prepare(const void *self, struct hash128 hash, void *slot, unsigned variant);
typedef void tile_use(const void *self, const void *slot, size_t index, void *out, unsigned variant);

INLINE void tiles_loop(const void *self, struct hash_source *source, size_t count, void *slots, size_t slot_bytes,
                       tile_prepare *prepare, tile_use *use, void *out, unsigned variant, int words)
{
    struct hash128 hash[TILE];
    const unsigned char *word = source->at;
    uint64_t seed = words ? source->hasher->seed : 0;
    for (size_t first = 0; first < count + TILE; first += TILE) {
        /* Keys first to first + TILE are prepared, those of the tile before are used. */
        size_t fresh = first >= count ? 0 : count - first < TILE ? count - first : TILE;
        size_t old = first ? TILE : 0;
        unsigned char *slot = slots;
        if (!words && fresh)
            source->fill(source, hash, fresh);
        for (size_t i = 0; i < fresh; i++, slot += slot_bytes) {
            if (old)
                use(self, slot, first - TILE + i, out, variant);
            prepare(self, words ? hash_word(word + 8 * (first + i), seed) : hash[i], slot, variant);
        }
        for (size_t i = fresh; i < old && first - TILE + i < count; i++, slot += slot_bytes)
            use(self, slot, first - TILE + i, out, variant);
    }
}

/* slots: TILE of them, slot_bytes each. */
INLINE void tiles_run(const void *self, struct hash_source *source, size_t count, void *slots, size_t slot_bytes,
                      tile_prepare *prepare, tile_use *use, void *out, unsigned variant)
{
    if (source->words)
        tiles_loop(self, source, count, slots, slot_bytes, prepare, use, out, variant, 1);
    else
        tiles_loop(self, source, count, slots, slot_bytes, prepare, use, out, variant, 0);
}

#endif
