/* SPDX-License-Identifier: MIT */
/* blocked, the specification: see blocked.h. Runs everywhere. */
#include "blocked_words.h"

INLINE int insert(uint64_t *block, uint64_t lo, unsigned k)
{
    uint64_t mask[BLOCK_WORDS], missing = 0;
    mask_of(lo, k, mask);
    for (unsigned j = 0; j < BLOCK_WORDS; j++) {
        missing |= mask[j] & ~block[j];
        block[j] |= mask[j];
    }
    return missing != 0;
}

/* Where there is no vector unit the hash is not what takes the time, and each copy of it takes a second to compile. */
#define BLOCKED_LOOP blocked_tiles_ready
#include "blocked_path.h"

const struct filter_calls blocked_scalar[2] = BLOCKED_PATHS;
