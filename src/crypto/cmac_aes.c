/* SPDX-License-Identifier: MIT */
/* AES-CMAC with the processor's AES instructions. This file alone is compiled for them; cmac_start asks first. */
#include "aes_inline.h"
#include "prf.h"

#ifdef AES_INLINE

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 8 };

typedef aes_words block;

#define block_load aes_load
#define block_of aes_from
#define block_half aes_half
#define block_store aes_store
#define block_xor aes_xor

INLINE void encrypt(const struct prf_key *key, block *x, unsigned n)
{
    aes_rounds(key->round, AES_ROUNDS, x, n);
}

#include "cmac_lanes.h"

static const struct prf_calls calls = {one, any, fixed};

const struct prf_calls *cmac_with_aes(void)
{
    return &calls;
}

#else

const struct prf_calls *cmac_with_aes(void)
{
    return NULL;
}

#endif
