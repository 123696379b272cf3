/* SPDX-License-Identifier: MIT */
/* A block of a blocked filter word by word: the specification, for the path that runs everywhere and for threads. */
#ifndef UF_BLOCKED_WORDS_H
#define UF_BLOCKED_WORDS_H

#include "blocked.h"

/* The bits of a key within its block. */
INLINE void mask_of(uint64_t lo, unsigned k, uint64_t mask[BLOCK_WORDS])
{
    uint64_t more = blocked_more(lo);
    for (unsigned j = 0; j < BLOCK_WORDS; j++) {
        if (k == 8)
            mask[j] = UINT64_C(1) << (lo >> 8 * j & 63);
        else {
            uint64_t bytes = (j < 4 ? lo : more) >> 16 * (j % 4);
            mask[j] = UINT64_C(1) << (bytes & 31) | UINT64_C(1) << (32 + (bytes >> 8 & 31));
        }
    }
}

INLINE int contains(const uint64_t *block, uint64_t lo, unsigned k)
{
    uint64_t mask[BLOCK_WORDS], missing = 0;
    mask_of(lo, k, mask);
    for (unsigned j = 0; j < BLOCK_WORDS; j++)
        missing |= mask[j] & ~__atomic_load_n(&block[j], __ATOMIC_RELAXED);
    return !missing;
}

INLINE uint64_t growth(const uint64_t *block, uint64_t lo, unsigned k, double scale)
{
    uint64_t mask[BLOCK_WORDS];
    mask_of(lo, k, mask);
    return blocked_growth(block, mask, k, scale);
}

#endif
