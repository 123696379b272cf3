/* SPDX-License-Identifier: MIT */
/* blocked on AVX2: the block is two vectors of four 64-bit lanes (k = 8) or eight 32-bit lanes (k = 16). This file
 * alone is compiled for AVX2; nothing in it runs before the machine was asked. */
#include "blocked.h"

#if defined(__AVX2__)
#include <immintrin.h>

INLINE void mask_of(uint64_t lo, unsigned k, __m256i mask[2])
{
    if (k == 8) {
        __m256i all = _mm256_set1_epi64x((long long)lo), one = _mm256_set1_epi64x(1), low6 = _mm256_set1_epi64x(63);
        __m256i bit0 = _mm256_and_si256(_mm256_srlv_epi64(all, _mm256_setr_epi64x(0, 6, 12, 18)), low6);
        __m256i bit1 = _mm256_and_si256(_mm256_srlv_epi64(all, _mm256_setr_epi64x(24, 30, 36, 42)), low6);
        mask[0] = _mm256_sllv_epi64(one, bit0);
        mask[1] = _mm256_sllv_epi64(one, bit1);
        return;
    }
    __m256i down = _mm256_setr_epi32(0, 5, 10, 15, 0, 5, 10, 15), one = _mm256_set1_epi32(1);
    __m256i low5 = _mm256_set1_epi32(31);
    uint32_t group[4];
    blocked_groups(lo, group);
    for (int v = 0; v < 2; v++) {
        __m256i both = _mm256_set_m128i(_mm_set1_epi32((int)group[2 * v + 1]), _mm_set1_epi32((int)group[2 * v]));
        mask[v] = _mm256_sllv_epi32(one, _mm256_and_si256(_mm256_srlv_epi32(both, down), low5));
    }
}

INLINE int contains(const uint64_t *block, uint64_t lo, unsigned k)
{
    __m256i mask[2];
    mask_of(lo, k, mask);
    __m256i missing0 = _mm256_andnot_si256(_mm256_load_si256((const void *)block), mask[0]);
    __m256i missing1 = _mm256_andnot_si256(_mm256_load_si256((const void *)(block + 4)), mask[1]);
    __m256i missing = _mm256_or_si256(missing0, missing1);
    return _mm256_testz_si256(missing, missing);
}

INLINE void add(uint64_t *block, uint64_t lo, unsigned k)
{
    __m256i mask[2];
    mask_of(lo, k, mask);
    for (int v = 0; v < 2; v++) {
        __m256i *at = (void *)(block + 4 * v);
        _mm256_store_si256(at, _mm256_or_si256(_mm256_load_si256(at), mask[v]));
    }
}

#include "blocked_path.h"

const struct filter_calls blocked_avx2[2] = BLOCKED_PATHS;

#else

const struct filter_calls blocked_avx2[2];

#endif
