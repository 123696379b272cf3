/* SPDX-License-Identifier: MIT */
/* blocked on AVX2: the block is two vectors of four 64-bit lanes (k = 8) or eight 32-bit lanes (k = 16). This file
 * alone is compiled for AVX2; nothing in it runs before the machine was asked. */
#include "blocked.h"

#if defined(__AVX2__)
#include <immintrin.h>

/* Bytes to lanes, one byte a lane: the lane's shift count. */
INLINE void mask_of(uint64_t lo, unsigned k, __m256i mask[2])
{
    if (k == 8) {
        uint64_t bytes = lo & UINT64_C(0x3f3f3f3f3f3f3f3f);
        __m256i one = _mm256_set1_epi64x(1);
        mask[0] = _mm256_sllv_epi64(one, _mm256_cvtepu8_epi64(_mm_cvtsi64_si128((long long)bytes)));
        mask[1] = _mm256_sllv_epi64(one, _mm256_cvtepu8_epi64(_mm_cvtsi64_si128((long long)(bytes >> 32))));
        return;
    }
    uint64_t low5 = UINT64_C(0x1f1f1f1f1f1f1f1f), more = blocked_more(lo);
    __m256i one = _mm256_set1_epi32(1);
    mask[0] = _mm256_sllv_epi32(one, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)(lo & low5))));
    mask[1] = _mm256_sllv_epi32(one, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)(more & low5))));
}

/* Four words of a block to which other threads may be adding. Processors with AVX2 read each aligned 64-bit lane of a
 * vector at once, as a relaxed load does; C has no name for a vector of relaxed loads, so the thread sanitizer is shown
 * the four that this one stands for. */
INLINE __m256i load_shared(const uint64_t *words)
{
#if BLOCKED_LOADS_APART
    long long word[4];
    for (int i = 0; i < 4; i++)
        word[i] = (long long)__atomic_load_n(&words[i], __ATOMIC_RELAXED);
    return _mm256_set_epi64x(word[3], word[2], word[1], word[0]);
#else
    return _mm256_loadu_si256((const void *)words); /* a view may lie on any multiple of 8 */
#endif
}

/* Every lane's bit is moved to the top of its lane, where the lanes are ANDed. */
INLINE int contains(const uint64_t *block, uint64_t lo, unsigned k)
{
    __m256i low = load_shared(block), high = load_shared(block + 4);
    if (k == 8) {
        uint64_t up = ~lo & UINT64_C(0x3f3f3f3f3f3f3f3f); /* 63 - bit */
        low = _mm256_sllv_epi64(low, _mm256_cvtepu8_epi64(_mm_cvtsi64_si128((long long)up)));
        high = _mm256_sllv_epi64(high, _mm256_cvtepu8_epi64(_mm_cvtsi64_si128((long long)(up >> 32))));
        return _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_and_si256(low, high))) == 15;
    }
    uint64_t low5 = UINT64_C(0x1f1f1f1f1f1f1f1f), more = blocked_more(lo);
    low = _mm256_sllv_epi32(low, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)(~lo & low5))));
    high = _mm256_sllv_epi32(high, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)(~more & low5))));
    return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_and_si256(low, high))) == 255;
}

INLINE int insert(uint64_t *block, uint64_t lo, unsigned k)
{
    __m256i mask[2], missing = _mm256_setzero_si256();
    mask_of(lo, k, mask);
    for (int v = 0; v < 2; v++) {
        __m256i *at = (void *)(block + 4 * v), old = _mm256_load_si256(at);
        missing = _mm256_or_si256(missing, _mm256_andnot_si256(old, mask[v]));
        _mm256_store_si256(at, _mm256_or_si256(old, mask[v]));
    }
    return !_mm256_testz_si256(missing, missing);
}

INLINE uint64_t growth(const uint64_t *block, uint64_t lo, unsigned k, double scale)
{
    _Alignas(32) uint64_t words[BLOCK_WORDS];
    __m256i mask[2];
    mask_of(lo, k, mask);
    _mm256_store_si256((void *)words, mask[0]);
    _mm256_store_si256((void *)(words + 4), mask[1]);
    return blocked_growth(block, words, k, scale);
}

#include "blocked_path.h"

const struct filter_calls blocked_avx2[2] = BLOCKED_PATHS;

#else

const struct filter_calls blocked_avx2[2];

#endif
