/* SPDX-License-Identifier: MIT */
/*
 * blocked, one cache line per key. The scalar code here is the specification; blocked_neon.c and blocked_avx2.c do the
 * same on vectors. A block is 8 words; a key sets one bit in each of its k lanes:
 *
 *     block  = (h.hi * blocks) >> 64
 *     k = 8:   lane j is word j, its bit is          (h.lo >> 6 j) & 63
 *     k = 16:  lane j is half j of the words (low half first), its bit is 5 bits of group[j / 4] from 5 (j % 4) on;
 *              the groups of 20 bits are h.lo's from 0 and from 32, and those of w = h.lo * MIX from 44 and from 24
 */
#ifndef UF_BLOCKED_H
#define UF_BLOCKED_H

#include "arith.h"
#include "kind.h"
#include "tiles.h"

enum { BLOCK_WORDS = 8 };

#define BLOCKED_MIX UINT64_C(0x9e3779b97f4a7c15)

struct blocked {
    uint64_t n, blocks;
    unsigned k;
};

/* [0]: k = 8, [1]: k = 16. An array of a set that this machine lacks is empty. */
extern const struct filter_calls blocked_scalar[2], blocked_neon[2], blocked_avx2[2];

/* ---- what every path shares: from a hash to the address of its block, prefetched ---- */

struct blocked_view {
    uint64_t *words;
    uint64_t blocks;
};

struct blocked_slot {
    uint64_t *block;
    uint64_t lo;
};

INLINE struct blocked_view blocked_look(const struct uf_filter *filter)
{
    return (struct blocked_view){filter->words, CONST_PARAMS(struct blocked, filter)->blocks};
}

INLINE uint64_t *blocked_find(const struct blocked_view *view, uint64_t hi)
{
    return view->words + mul_high(hi, view->blocks) * BLOCK_WORDS;
}

INLINE void blocked_to_read(const void *self, struct hash128 hash, void *slot, unsigned k)
{
    struct blocked_slot found = {blocked_find(self, hash.hi), hash.lo};
    (void)k;
    prefetch_read(found.block);
    *(struct blocked_slot *)slot = found;
}

INLINE void blocked_to_write(const void *self, struct hash128 hash, void *slot, unsigned k)
{
    struct blocked_slot found = {blocked_find(self, hash.hi), hash.lo};
    (void)k;
    prefetch_write(found.block);
    *(struct blocked_slot *)slot = found;
}

INLINE void blocked_groups(uint64_t lo, uint32_t group[4])
{
    uint64_t w = lo * BLOCKED_MIX;
    group[0] = (uint32_t)lo & 0xfffff;
    group[1] = (uint32_t)(lo >> 32) & 0xfffff;
    group[2] = (uint32_t)(w >> 44);
    group[3] = (uint32_t)(w >> 24) & 0xfffff;
}

#endif
