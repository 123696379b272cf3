/* SPDX-License-Identifier: MIT */
/* AES-CMAC without instructions for AES: the specification, and what runs where there are none. */
#include "aes_bitsliced.h"
#include "tail.h"

#define INLINE static inline __attribute__((always_inline))

enum { LANES = BITSLICED_BLOCKS };

typedef struct hash128 block;

INLINE block block_of(struct hash128 words)
{
    return words;
}

INLINE block block_half(const void *at)
{
    return (block){tail_word(at), 0};
}

INLINE void block_store(block x, struct hash128 *out)
{
    *out = x;
}

INLINE block block_xor(block x, block y)
{
    return (block){x.lo ^ y.lo, x.hi ^ y.hi};
}

INLINE void encrypt(const struct prf_key *key, block *x, unsigned n)
{
    block all[LANES] = {{0, 0}};
    for (unsigned l = 0; l < n; l++)
        all[l] = x[l];
    bitsliced_encrypt(key->round, all);
    for (unsigned l = 0; l < n; l++)
        x[l] = all[l];
}

INLINE block block_load(const void *at)
{
    return (block){tail_word(at), tail_word((const unsigned char *)at + 8)};
}

#include "cmac_lanes.h"

const struct prf_calls cmac_bitsliced = {one, any, fixed};
