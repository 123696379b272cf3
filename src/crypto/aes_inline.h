/* SPDX-License-Identifier: MIT */
/* One block of AES with the processor's instructions. Only for files that are compiled for them: AES_INLINE says so. */
#ifndef UF_AES_INLINE_H
#define UF_AES_INLINE_H

#include "aes.h"

#if defined(__aarch64__) && (defined(__ARM_FEATURE_AES) || defined(__ARM_FEATURE_CRYPTO)) && !defined(__AARCH64EB__)
#include <arm_neon.h>
#define AES_INLINE 1

static inline __attribute__((always_inline)) struct hash128 aes_block(const struct aes_key *key, struct hash128 in)
{
    uint8x16_t x = vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(in.lo), vcreate_u64(in.hi)));
    for (int i = 0; i < 9; i++)
        x = vaesmcq_u8(vaeseq_u8(x, vld1q_u8(key->round[i])));
    x = veorq_u8(vaeseq_u8(x, vld1q_u8(key->round[9])), vld1q_u8(key->round[10]));
    uint64x2_t out = vreinterpretq_u64_u8(x);
    return (struct hash128){vgetq_lane_u64(out, 0), vgetq_lane_u64(out, 1)};
}

#elif defined(__x86_64__) && defined(__AES__)
#include <immintrin.h>
#define AES_INLINE 1

static inline __attribute__((always_inline)) struct hash128 aes_block(const struct aes_key *key, struct hash128 in)
{
    const __m128i *round = (const __m128i *)(const void *)key->round;
    __m128i x = _mm_xor_si128(_mm_set_epi64x((long long)in.hi, (long long)in.lo), round[0]);
    for (int i = 1; i < 10; i++)
        x = _mm_aesenc_si128(x, round[i]);
    x = _mm_aesenclast_si128(x, round[10]);
    return (struct hash128){(uint64_t)_mm_cvtsi128_si64(x), (uint64_t)_mm_cvtsi128_si64(_mm_srli_si128(x, 8))};
}

#endif

#endif
