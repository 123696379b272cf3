/* SPDX-License-Identifier: MIT */
/*
 * AES with the processor's instructions: blocks in registers, and several of them at once, since one waits for its
 * rounds. Only for files that are compiled for them: AES_INLINE says so, and aes_best asks the processor.
 */
#ifndef UF_AES_INLINE_H
#define UF_AES_INLINE_H

#include "aes.h"

#define AES_FORCED static inline __attribute__((always_inline))

#if defined(__aarch64__) && (defined(__ARM_FEATURE_AES) || defined(__ARM_FEATURE_CRYPTO)) && !defined(__AARCH64EB__)
#include <arm_neon.h>
#define AES_INLINE 1

typedef uint8x16_t aes_words;

AES_FORCED aes_words aes_load(const void *at)
{
    return vld1q_u8(at);
}

AES_FORCED aes_words aes_from(struct hash128 words)
{
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(words.lo), vcreate_u64(words.hi)));
}

AES_FORCED aes_words aes_half(const void *at)
{
    return vcombine_u8(vld1_u8(at), vdup_n_u8(0));
}

AES_FORCED void aes_put(aes_words x, unsigned char out[16])
{
    vst1q_u8(out, x);
}

AES_FORCED void aes_store(aes_words x, struct hash128 *out)
{
    vst1q_u64(&out->lo, vreinterpretq_u64_u8(x));
}

AES_FORCED struct hash128 aes_to(aes_words x)
{
    uint64x2_t words = vreinterpretq_u64_u8(x);
    return (struct hash128){vgetq_lane_u64(words, 0), vgetq_lane_u64(words, 1)};
}

AES_FORCED aes_words aes_xor(aes_words x, aes_words y)
{
    return veorq_u8(x, y);
}

/* n blocks in place; rounds and n are constants. */
AES_FORCED void aes_rounds(const unsigned char (*key)[16], unsigned rounds, aes_words *x, unsigned n)
{
    for (unsigned i = 0; i < rounds - 1; i++) {
        aes_words round = aes_load(key[i]);
        for (unsigned l = 0; l < n; l++)
            x[l] = vaesmcq_u8(vaeseq_u8(x[l], round));
    }
    aes_words round = aes_load(key[rounds - 1]), last = aes_load(key[rounds]);
    for (unsigned l = 0; l < n; l++)
        x[l] = veorq_u8(vaeseq_u8(x[l], round), last);
}

#elif defined(__x86_64__) && defined(__AES__)
#include <immintrin.h>
#define AES_INLINE 1

typedef __m128i aes_words;

AES_FORCED aes_words aes_load(const void *at)
{
    return _mm_loadu_si128(at);
}

AES_FORCED aes_words aes_from(struct hash128 words)
{
    return _mm_set_epi64x((long long)words.hi, (long long)words.lo);
}

AES_FORCED aes_words aes_half(const void *at)
{
    return _mm_loadl_epi64(at);
}

AES_FORCED void aes_put(aes_words x, unsigned char out[16])
{
    _mm_storeu_si128((aes_words *)(void *)out, x);
}

AES_FORCED void aes_store(aes_words x, struct hash128 *out)
{
    _mm_storeu_si128((aes_words *)out, x);
}

AES_FORCED struct hash128 aes_to(aes_words x)
{
    return (struct hash128){(uint64_t)_mm_cvtsi128_si64(x), (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(x, x))};
}

AES_FORCED aes_words aes_xor(aes_words x, aes_words y)
{
    return _mm_xor_si128(x, y);
}

AES_FORCED void aes_rounds(const unsigned char (*key)[16], unsigned rounds, aes_words *x, unsigned n)
{
    aes_words round = aes_load(key[0]);
    for (unsigned l = 0; l < n; l++)
        x[l] = _mm_xor_si128(x[l], round);
    for (unsigned i = 1; i < rounds; i++) {
        round = aes_load(key[i]);
        for (unsigned l = 0; l < n; l++)
            x[l] = _mm_aesenc_si128(x[l], round);
    }
    round = aes_load(key[rounds]);
    for (unsigned l = 0; l < n; l++)
        x[l] = _mm_aesenclast_si128(x[l], round);
}

#endif

#ifdef AES_INLINE

AES_FORCED struct hash128 aes_block(const struct aes_key *key, struct hash128 in)
{
    aes_words x = aes_from(in);
    struct hash128 out;
    aes_rounds(key->round, AES_ROUNDS, &x, 1);
    aes_store(x, &out);
    return out;
}

#endif

#endif
