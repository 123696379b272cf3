/* SPDX-License-Identifier: MIT */
/*
 * The keystream with VAES on AVX-512 registers: four blocks in each of them. This file alone is compiled for it;
 * ctr_find asks first.
 */
#include "ctr.h"

#if defined(__x86_64__) && defined(__VAES__) && defined(__AVX512BW__)
#include <immintrin.h>

#define FORCED static inline __attribute__((always_inline))

enum { QUADS = 4, BLOCKS = 4 * QUADS };

/* Counters are the upper halves of blocks; the highest byte comes first. */
FORCED __m512i in_file_order(__m512i counters)
{
    return _mm512_shuffle_epi8(
        counters, _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 7, 6, 5, 4, 3, 2, 1, 0)));
}

FORCED void encrypt(const unsigned char (*key)[16], __m512i x[QUADS])
{
    __m512i round = _mm512_broadcast_i32x4(_mm_load_si128((const void *)key[0]));
    for (unsigned l = 0; l < QUADS; l++)
        x[l] = _mm512_xor_si512(x[l], round);
    for (unsigned i = 1; i < AES256_ROUNDS; i++) {
        round = _mm512_broadcast_i32x4(_mm_load_si128((const void *)key[i]));
        for (unsigned l = 0; l < QUADS; l++)
            x[l] = _mm512_aesenc_epi128(x[l], round);
    }
    round = _mm512_broadcast_i32x4(_mm_load_si128((const void *)key[AES256_ROUNDS]));
    for (unsigned l = 0; l < QUADS; l++)
        x[l] = _mm512_aesenclast_epi128(x[l], round);
}

/* The first `count` of 4 l to 4 l + 3, as bits of words. */
FORCED __mmask8 words_of(size_t count, unsigned l)
{
    size_t here = count > 4 * l ? count - 4 * l : 0;
    return (__mmask8)(here < 4 ? (1U << 2 * here) - 1 : 0xff);
}

static void blocks(const struct aes256_key *key, uint64_t first, unsigned char (*out)[16], size_t count)
{
    const __m512i four = _mm512_set_epi64(4, 0, 4, 0, 4, 0, 4, 0);
    __m512i next = _mm512_set_epi64((long long)(first + 3), 0, (long long)(first + 2), 0, (long long)(first + 1), 0,
                                    (long long)first, 0);
    for (size_t done = 0; done < count; done += BLOCKS) {
        __m512i x[QUADS];
        for (unsigned l = 0; l < QUADS; l++) {
            x[l] = in_file_order(next);
            next = _mm512_add_epi64(next, four);
        }
        encrypt(key->round, x);
        for (unsigned l = 0; l < QUADS && done + 4 * l < count; l++)
            _mm512_mask_storeu_epi64(out + done + 4 * l, words_of(count - done, l), x[l]);
    }
}

ctr_blocks *ctr_with_vaes(void)
{
    return blocks;
}

#else

ctr_blocks *ctr_with_vaes(void)
{
    return NULL;
}

#endif
