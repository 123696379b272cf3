/* SPDX-License-Identifier: MIT */
/*
 * Eight keys of 8 bytes hashed at once, a key in each lane: word_hash of hash_inline.h, bit for bit. For files that are
 * compiled for AVX-512.
 */
#ifndef UF_HASH_AVX512_H
#define UF_HASH_AVX512_H

#include <immintrin.h>

#include "hash_inline.h"

#define LANES_INLINE static inline __attribute__((always_inline))

enum { LANES8 = 8 };

struct hashes8 {
    __m512i lo, hi;
};

LANES_INLINE __m512i lanes_of(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

/* A number by which all lanes are multiplied. */
struct factor8 {
    __m512i lo, hi; /* in the lower halves of the lanes */
};

LANES_INLINE struct factor8 factor8_of(uint64_t factor)
{
    return (struct factor8){lanes_of(factor & UINT32_MAX), lanes_of(factor >> 32)};
}

/* Upper halves of lanes in their lower ones: shuffles, since shifts wait for the port of the multiplications. What
 * multiplies looks at lower halves only, and takes whatever stays above them. */
LANES_INLINE __m512i uppers(__m512i x)
{
    return _mm512_shuffle_epi32(x, (_MM_PERM_ENUM)0xf5);
}

LANES_INLINE __m512i uppers_alone(__m512i x)
{
    return _mm512_maskz_shuffle_epi32(0x5555, x, (_MM_PERM_ENUM)0xf5);
}

/* All 128 bits of a product. No sum overflows: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1. */
LANES_INLINE struct hashes8 multiply8(__m512i x, const struct factor8 *by)
{
    __m512i low32 = lanes_of(UINT32_MAX), upper = uppers(x);
    __m512i ll = _mm512_mul_epu32(x, by->lo), lh = _mm512_mul_epu32(x, by->hi);
    __m512i hl = _mm512_mul_epu32(upper, by->lo), hh = _mm512_mul_epu32(upper, by->hi);
    __m512i sum = _mm512_add_epi64(hl, uppers_alone(ll)), mid = _mm512_add_epi64(lh, _mm512_and_si512(sum, low32));
    __m512i hi = _mm512_add_epi64(_mm512_add_epi64(hh, uppers_alone(sum)), _mm512_srli_epi64(mid, 32));
    return (struct hashes8){_mm512_mask_shuffle_epi32(ll, 0xaaaa, mid, (_MM_PERM_ENUM)0xa0), hi};
}

/* mul_high of arith.h. */
LANES_INLINE __m512i mul_high8(__m512i x, const struct factor8 *by)
{
    return multiply8(x, by).hi;
}

/* The same where the factor is below 2^32. */
LANES_INLINE __m512i mul_high8_half(__m512i x, __m512i by)
{
    __m512i sum = _mm512_add_epi64(_mm512_mul_epu32(uppers(x), by), uppers_alone(_mm512_mul_epu32(x, by)));
    return _mm512_srli_epi64(sum, 32);
}

struct word_hash8 {
    __m512i flip, mix, avalanche;
    struct factor8 prime;
};

LANES_INLINE struct word_hash8 word_hash8_start(uint64_t seed)
{
    struct word_hash with;
    word_hash_start(&with, seed);
    return (struct word_hash8){lanes_of(with.flip), lanes_of(with.mix), lanes_of(with.avalanche),
                               factor8_of(with.prime)};
}

LANES_INLINE struct hashes8 word_hash8(const struct word_hash8 *with, __m512i keys)
{
    struct hashes8 h = multiply8(_mm512_xor_si512(keys, with->flip), &with->prime);
    h.hi = _mm512_add_epi64(h.hi, _mm512_add_epi64(h.lo, h.lo));
    h.lo = _mm512_xor_si512(h.lo, _mm512_srli_epi64(h.hi, 3));
    h.lo = _mm512_mullo_epi64(_mm512_xor_si512(h.lo, _mm512_srli_epi64(h.lo, 35)), with->mix);
    h.hi = _mm512_mullo_epi64(_mm512_xor_si512(h.hi, _mm512_srli_epi64(h.hi, 37)), with->avalanche);
    h.lo = _mm512_xor_si512(h.lo, _mm512_srli_epi64(h.lo, 28));
    h.hi = _mm512_xor_si512(h.hi, _mm512_srli_epi64(h.hi, 32));
    return h;
}

/* Eight words from `at`, of which `left` are there: zeros instead of the others, which are not read. */
LANES_INLINE __m512i load8(const void *at, size_t left)
{
    if (left >= LANES8)
        return _mm512_loadu_si512(at);
    return _mm512_maskz_loadu_epi64((__mmask8)((1u << left) - 1), at);
}

/* Between two vectors and eight pairs of words in memory, `a` first. */
LANES_INLINE void store_pairs8(void *to, __m512i a, __m512i b)
{
    __m512i first = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), second = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi64(a, first, b));
    _mm512_storeu_si512((char *)to + 64, _mm512_permutex2var_epi64(a, second, b));
}

LANES_INLINE struct hashes8 load_hashes8(const struct hash128 *from)
{
    __m512i a = _mm512_loadu_si512(from), b = _mm512_loadu_si512(from + 4);
    __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    return (struct hashes8){_mm512_permutex2var_epi64(a, even, b), _mm512_permutex2var_epi64(a, odd, b)};
}

/* ---- a run of keys, eight at a time ---- */

/* Keys of 8 bytes are hashed here; of other sources `fill` makes so many groups of hashes at once. */
enum { GROUPS8 = 8 };

struct stream8 {
    struct hash_source *source;
    size_t count;
    struct word_hash8 with;
    struct hash128 *ready; /* GROUPS8 * LANES8 of them */
    size_t ahead; /* keys of 8 bytes are fetched so many groups ahead, past the outer caches; 0: they are not */
};

LANES_INLINE struct stream8 stream8_start(struct hash_source *source, size_t count, struct hash128 *ready, size_t ahead,
                                          enum hash_words words)
{
    if (words != WORDS_XXH3) /* the last group may be read beyond its end */
        memset(ready, 0, GROUPS8 * LANES8 * sizeof *ready);
    return (struct stream8){source, count, word_hash8_start(words == WORDS_XXH3 ? source->hasher->seed : 0), ready,
                            ahead};
}

/* Group `group`, in their order; `left` keys of it are there. words: WORDS_XXH3, where the source has it, or another
 * constant. */
LANES_INLINE struct hashes8 stream8_next(struct stream8 *stream, size_t group, size_t left, enum hash_words words)
{
    if (words == WORDS_XXH3) {
        const unsigned char *at = (const unsigned char *)stream->source->at + group * LANES8 * 8;
        if (stream->ahead)
            _mm_prefetch((const char *)at + stream->ahead * LANES8 * 8, _MM_HINT_NTA);
        return word_hash8(&stream->with, load8(at, left));
    }
    if (group % GROUPS8 == 0) {
        size_t all = stream->count - group * LANES8, most = GROUPS8 * LANES8;
        stream->source->fill(stream->source, stream->ready, all < most ? all : most);
    }
    return load_hashes8(stream->ready + group % GROUPS8 * LANES8);
}

LANES_INLINE void stream8_end(struct stream8 *stream, enum hash_words words)
{
    if (words == WORDS_XXH3)
        stream->source->at = (const unsigned char *)stream->source->at + 8 * stream->count;
}

#endif
