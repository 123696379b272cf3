/* SPDX-License-Identifier: MIT */
/*
 * The loop every bulk operation runs in. A random cache line takes 100 to 300 ns to arrive, so hashes are turned into
 * addresses and prefetched one tile ahead of their use:
 *
 *     hash tile t+1;  for each i: prepare key i of tile t+1 (positions, prefetch), use key i of tile t
 *
 * Prefetches go to the second cache level: measured on a Neoverse-N1 over 119 MiB, one line costs 7.3 ns so and
 * 11.0 ns when prefetched to the first, which has fewer misses in flight. `prepare` and `use` are inlined with
 * constant arguments, so each kind gets its own copy of the loop.
 */
#ifndef UF_TILES_H
#define UF_TILES_H

#include "hash.h"

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
 * self: the filter. slots: 2 * TILE slots of slot_bytes each, scratch for what `prepare` found out about a key and
 * `use` needs. `use` gets the index of the key from the start. `variant` is handed through: with a constant, one pair
 * of functions serves several loops.
 */
INLINE void tiles_run(const void *self, struct hash_source *source, size_t count, void *slots, size_t slot_bytes,
                      void (*prepare)(const void *self, struct hash128 hash, void *slot, unsigned variant),
                      void (*use)(const void *self, const void *slot, size_t index, void *out, unsigned variant),
                      void *out, unsigned variant)
{
    struct hash128 hash[TILE];
    unsigned char *now = slots, *next = now + TILE * slot_bytes;
    size_t ready = count < TILE ? count : TILE;
    source->fill(source, hash, ready);
    for (size_t i = 0; i < ready; i++)
        prepare(self, hash[i], now + i * slot_bytes, variant);
    for (size_t done = 0; done < count;) {
        size_t left = count - done - ready;
        size_t ahead = left < TILE ? left : TILE;
        source->fill(source, hash, ahead);
        for (size_t i = 0; i < ahead; i++) {
            prepare(self, hash[i], next + i * slot_bytes, variant);
            use(self, now + i * slot_bytes, done + i, out, variant);
        }
        for (size_t i = ahead; i < ready; i++)
            use(self, now + i * slot_bytes, done + i, out, variant);
        done += ready;
        ready = ahead;
        unsigned char *swap = now;
        now = next;
        next = swap;
    }
}

#endif
