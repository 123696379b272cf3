/* SPDX-License-Identifier: MIT */
/* AES-CMAC of a key of 8 bytes, for loops in files that are compiled for AES: AES_INLINE says so. */
#ifndef UF_CMAC_INLINE_H
#define UF_CMAC_INLINE_H

#include <string.h>

#include "aes_inline.h"

#ifdef AES_INLINE

/* What a loop keeps at hand: the round keys, and all that is not the key itself in its one block. */
struct cmac_words {
    struct aes_key key;
    uint64_t lo, hi;
};

static inline __attribute__((always_inline)) void cmac_words_start(const struct prf_key *from, struct cmac_words *out)
{
    memcpy(out->key.round, from->round, sizeof out->key.round);
    memcpy(&out->lo, from->last[1], 8);
    memcpy(&out->hi, from->last[1] + 8, 8);
    out->hi ^= 0x80;
}

static inline __attribute__((always_inline)) struct hash128 cmac_word(const struct cmac_words *words, const void *data)
{
    uint64_t word;
    memcpy(&word, data, sizeof word);
    return aes_block(&words->key, (struct hash128){word ^ words->lo, words->hi});
}

#endif

#endif
