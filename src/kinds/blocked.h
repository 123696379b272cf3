/* SPDX-License-Identifier: MIT */
/*
 * blocked, one cache line per key. The scalar code here is the specification; blocked_neon.c, blocked_avx2.c and
 * blocked_avx512.c do the same on vectors. A block is 8 words; a key sets one bit in each of its k lanes:
 *
 *     block  = (h.hi * blocks) >> 64
 *     k = 8:   lane j is word j; its bit is byte j of h.lo, modulo 64
 *     k = 16:  lane j is half j of the words, low half first; its bit is modulo 32 byte j of h.lo, or for j >= 8 byte
 *              j - 8 of  w ^ w >> 32,  w = h.lo * MIX
 */
#ifndef UF_BLOCKED_H
#define UF_BLOCKED_H

#include "arith.h"
#include "ops.h"
#include "scatter.h"
#include "spare.h"
#include "tiles.h"

enum { BLOCK_WORDS = 8 };

/* Whether the thread sanitizer looks on: then vectors of shared words are loaded word by word (blocked_neon.c). */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BLOCKED_LOADS_APART 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define BLOCKED_LOADS_APART 1
#endif
#ifndef BLOCKED_LOADS_APART
#define BLOCKED_LOADS_APART 0
#endif

#define BLOCKED_MIX UINT64_C(0x9e3779b97f4a7c15)

struct blocked {
    uint64_t blocks, n; /* blocks first: beside the handle's words, in one load */
    unsigned k;
    double scale; /* filters that refuse or grow: what turns the product of the lanes' ones into a measure */
};

/* [0]: k = 8, [1]: k = 16. An array of a set that this machine lacks is empty. */
extern const struct filter_calls blocked_scalar[2], blocked_neon[2], blocked_avx2[2], blocked_avx512[2];

/* ---- what every path shares: from a hash to the address of its block, prefetched ---- */

struct blocked_view {
    uint64_t *words;
    uint64_t blocks;
};

struct blocked_slot {
    uint64_t *block;
    uint64_t lo;
};

INLINE struct blocked_view blocked_view_of(const struct uf_filter *filter)
{
    return (struct blocked_view){filter->words, CONST_PARAMS(struct blocked, filter)->blocks};
}

INLINE uint64_t *blocked_find(const struct blocked_view *view, uint64_t hi)
{
    return view->words + mul_high(hi, view->blocks) * BLOCK_WORDS;
}

INLINE void blocked_prepare(const void *self, struct hash128 hash, void *slot, unsigned k)
{
    (void)k;
    *(struct blocked_slot *)slot = (struct blocked_slot){blocked_find(self, hash.hi), hash.lo};
}

INLINE void blocked_fetch_to_read(const void *self, const void *slot, unsigned k)
{
    (void)self, (void)k;
    prefetch_read(((const struct blocked_slot *)slot)->block);
}

INLINE void blocked_fetch_to_write(const void *self, const void *slot, unsigned k)
{
    (void)self, (void)k;
    prefetch_write(((const struct blocked_slot *)slot)->block);
}

/* A loop over the blocks of the next `count` keys. self: a blocked_view, or something that starts with one. */
typedef void blocked_loop(const void *self, struct hash_source *source, size_t count, struct tile_steps steps,
                          void *out, unsigned k);

INLINE void blocked_tiles(const void *self, struct hash_source *source, size_t count, struct tile_steps steps,
                          void *out, unsigned k)
{
    struct blocked_slot slots[TILE_SLOTS];
    tiles_run(self, source, count, slots, sizeof slots[0], steps, out, k);
}

INLINE void blocked_tiles_ready(const void *self, struct hash_source *source, size_t count, struct tile_steps steps,
                                void *out, unsigned k)
{
    struct blocked_slot slots[TILE_SLOTS];
    tiles_ready(self, source, count, slots, sizeof slots[0], steps, out, k);
}

/* Does `set` with the blocks of the next `count` keys; in a loop of its own where nobody asks for verdicts and the hash
 * is so short that it matters. */
INLINE void blocked_run_adds(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                             tile_use *set, blocked_loop *run, unsigned k)
{
    struct blocked_view view = blocked_view_of(filter);
    struct tile_steps steps = {blocked_prepare, blocked_fetch_to_write, set};
    if (!verdict && source->words == WORDS_XXH3)
        run(&view, source, count, steps, NULL, k);
    else
        run(&view, source, count, steps, verdict, k);
}

/* ---- shares: what part of the fresh keys that pick it a block accepts ---- */

/* It is the product of the fills of its lanes; this is that in units of the measure, from the ones in each lane. The
 * products of half of the lanes are below 2^53, and that of all is rounded once: the result is the same on every
 * machine.
 */
INLINE uint64_t blocked_share(const uint8_t *ones, unsigned k, double scale)
{
    uint64_t half[2] = {1, 1};
    for (unsigned j = 0; j < k; j++)
        half[j % 2] *= ones[j];
    return (uint64_t)((double)half[0] * (double)half[1] * scale);
}

INLINE void blocked_ones(const uint64_t *block, unsigned k, uint8_t *ones)
{
    for (unsigned j = 0; j < BLOCK_WORDS; j++)
        if (k == 8) {
            ones[j] = (uint8_t)__builtin_popcountll(block[j]);
        } else {
            ones[2 * j] = (uint8_t)__builtin_popcount((uint32_t)block[j]);
            ones[2 * j + 1] = (uint8_t)__builtin_popcount((uint32_t)(block[j] >> 32));
        }
}

/* By how much the share of a block grows with a key whose bits are `mask`. */
INLINE uint64_t blocked_growth(const uint64_t *block, const uint64_t *mask, unsigned k, double scale)
{
    uint8_t before[16], after[16];
    blocked_ones(block, k, before);
    for (unsigned j = 0; j < BLOCK_WORDS; j++) {
        uint64_t fresh = mask[j] & ~block[j];
        if (k == 8) {
            after[j] = (uint8_t)(before[j] + (fresh != 0));
        } else {
            after[2 * j] = (uint8_t)(before[2 * j] + ((uint32_t)fresh != 0));
            after[2 * j + 1] = (uint8_t)(before[2 * j + 1] + (fresh >> 32 != 0));
        }
    }
    return blocked_share(after, k, scale) - blocked_share(before, k, scale);
}

/* Inserts within what is spare, among other threads: blocked_shared.c. */
void blocked_add_locked(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                        struct spare *spare);
int blocked_add_one_locked(struct uf_filter *filter, struct hash128 hash, struct spare *spare);

/* Eight more bytes for k = 16. The upper half of the product depends on all lower bytes, its lower half is weak. */
INLINE uint64_t blocked_more(uint64_t lo)
{
    uint64_t w = lo * BLOCKED_MIX;
    return w ^ w >> 32;
}

#endif
