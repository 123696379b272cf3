/* SPDX-License-Identifier: MIT */
/*
 * AES-CMAC with instructions that take four blocks of AES at once (VAES on AVX-512). This file alone is compiled for
 * them; cmac_start asks first. The secret has the shape of cmac_aes.c, and the bytes are the same.
 */
#include "prf.h"

#if defined(__VAES__) && defined(__AVX512F__)
#include <immintrin.h>

#include "aes_inline.h"

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 16, VECTORS = LANES / 4 };

typedef aes_words block;

#define block_load aes_load
#define block_of aes_from
#define block_half aes_half
#define block_store aes_store
#define block_xor aes_xor

INLINE __m512i round_key(const struct prf_key *key, unsigned i)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)key->round[i]));
}

INLINE void encrypt_vectors(const struct prf_key *key, __m512i x[VECTORS])
{
    __m512i round = round_key(key, 0);
    for (unsigned v = 0; v < VECTORS; v++)
        x[v] = _mm512_xor_si512(x[v], round);
    for (unsigned i = 1; i < AES_ROUNDS; i++) {
        round = round_key(key, i);
        for (unsigned v = 0; v < VECTORS; v++)
            x[v] = _mm512_aesenc_epi128(x[v], round);
    }
    round = round_key(key, AES_ROUNDS);
    for (unsigned v = 0; v < VECTORS; v++)
        x[v] = _mm512_aesenclast_epi128(x[v], round);
}

INLINE void encrypt(const struct prf_key *key, block *x, unsigned n)
{
    __m512i four[VECTORS];
    if (n == 1) {
        aes_rounds(key->round, AES_ROUNDS, x, 1);
        return;
    }
    for (unsigned v = 0; v < VECTORS; v++)
        four[v] = _mm512_loadu_si512(&x[4 * v]);
    encrypt_vectors(key, four);
    for (unsigned v = 0; v < VECTORS; v++)
        _mm512_storeu_si512(&x[4 * v], four[v]);
}

#include "cmac_lanes.h"

/* Numbers: two vectors hold eight of them, and between any two of them the half block that is always the same. */
static void words(const struct prf_key *key, const unsigned char *at, size_t count, struct hash128 *out)
{
    block half = block_xor(block_of((struct hash128){0, 0x80}), block_load(key->last[1]));
    __m512i rest = _mm512_broadcast_i32x4(half), x[VECTORS];
    __m512i low = _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0), high = _mm512_set_epi64(0, 7, 0, 6, 0, 5, 0, 4);
    for (; count >= LANES; count -= LANES, at += 8 * LANES, out += LANES) {
        for (unsigned v = 0; v < VECTORS; v += 2) {
            __m512i eight = _mm512_loadu_si512(at + 32 * v);
            x[v] = _mm512_xor_si512(_mm512_maskz_permutexvar_epi64(0x55, low, eight), rest);
            x[v + 1] = _mm512_xor_si512(_mm512_maskz_permutexvar_epi64(0x55, high, eight), rest);
        }
        encrypt_vectors(key, x);
        for (unsigned v = 0; v < VECTORS; v++)
            _mm512_storeu_si512(out + 4 * v, x[v]);
    }
    for (; count; count--, at += 8)
        *out++ = one(key, (uf_key){at, 8});
}

static void fixed_or_words(const struct prf_key *key, const void *keys, size_t width, size_t count, struct hash128 *out)
{
    if (width == 8)
        words(key, keys, count, out);
    else
        fixed(key, keys, width, count, out);
}

static const struct prf_calls calls = {one, any, fixed_or_words};

const struct prf_calls *cmac_with_vaes(void)
{
    return &calls;
}

#else

const struct prf_calls *cmac_with_vaes(void)
{
    return NULL;
}

#endif
