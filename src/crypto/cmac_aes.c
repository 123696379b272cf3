/* SPDX-License-Identifier: MIT */
/* AES-CMAC with the processor's AES instructions. This file alone is compiled for them; cmac_start asks first. */
#include "prf.h"

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 8 };

#if defined(__aarch64__) && (defined(__ARM_FEATURE_AES) || defined(__ARM_FEATURE_CRYPTO)) && !defined(__AARCH64EB__)
#include <arm_neon.h>
#define HAS_AES 1

typedef uint8x16_t block;

INLINE block block_load(const void *at)
{
    return vld1q_u8(at);
}

INLINE block block_of(struct hash128 words)
{
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(words.lo), vcreate_u64(words.hi)));
}

INLINE block block_half(const void *at)
{
    return vcombine_u8(vld1_u8(at), vdup_n_u8(0));
}

INLINE void block_store(block x, struct hash128 *out)
{
    vst1q_u64(&out->lo, vreinterpretq_u64_u8(x));
}

INLINE block block_xor(block x, block y)
{
    return veorq_u8(x, y);
}

INLINE void encrypt(const struct prf_key *key, block *x, unsigned n)
{
    for (int i = 0; i < AES_ROUNDS - 1; i++) {
        block round = block_load(key->round[i]);
        for (unsigned l = 0; l < n; l++)
            x[l] = vaesmcq_u8(vaeseq_u8(x[l], round));
    }
    block round = block_load(key->round[AES_ROUNDS - 1]), last = block_load(key->round[AES_ROUNDS]);
    for (unsigned l = 0; l < n; l++)
        x[l] = veorq_u8(vaeseq_u8(x[l], round), last);
}

#elif defined(__x86_64__) && defined(__AES__)
#include <immintrin.h>
#define HAS_AES 1

typedef __m128i block;

INLINE block block_load(const void *at)
{
    return _mm_loadu_si128(at);
}

INLINE block block_of(struct hash128 words)
{
    return _mm_set_epi64x((long long)words.hi, (long long)words.lo);
}

INLINE block block_half(const void *at)
{
    return _mm_loadl_epi64(at);
}

INLINE void block_store(block x, struct hash128 *out)
{
    _mm_storeu_si128((block *)out, x);
}

INLINE block block_xor(block x, block y)
{
    return _mm_xor_si128(x, y);
}

INLINE void encrypt(const struct prf_key *key, block *x, unsigned n)
{
    block round = block_load(key->round[0]);
    for (unsigned l = 0; l < n; l++)
        x[l] = _mm_xor_si128(x[l], round);
    for (int i = 1; i < AES_ROUNDS; i++) {
        round = block_load(key->round[i]);
        for (unsigned l = 0; l < n; l++)
            x[l] = _mm_aesenc_si128(x[l], round);
    }
    round = block_load(key->round[AES_ROUNDS]);
    for (unsigned l = 0; l < n; l++)
        x[l] = _mm_aesenclast_si128(x[l], round);
}

#endif

#ifdef HAS_AES
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
