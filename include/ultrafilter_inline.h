/* SPDX-License-Identifier: MIT */
/*
 * Queries without a call, for loops that cannot afford one: a blocked filter and keys that are numbers of 64 bits.
 *
 *     uf_view view;
 *     if (uf_get_view(filter, UF_VIEW_LAYOUT, &view, sizeof view) == UF_OK)
 *         for (size_t i = 0; i < count; i++)
 *             found += uf_view_query64(&view, numbers[i]);
 *
 * What is compiled into a program stays there, so the layout of filters that it knows is frozen: a library that has
 * another one refuses the view with UF_EUNSUPPORTED, and the program calls uf_query. C99 or C++, with NEON where the
 * compiler has it; in batches uf_query_fixed is faster still.
 */
#ifndef ULTRAFILTER_INLINE_H
#define ULTRAFILTER_INLINE_H

#include "ultrafilter.h"

#if UF_VIEW_LAYOUT != 1
#error "ultrafilter.h and ultrafilter_inline.h are of different versions"
#endif

#if defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

/* The upper and the lower half of a product. */
static inline uint64_t uf_view_multiply(uint64_t a, uint64_t b, uint64_t *low)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 uf_view_wide;
    uf_view_wide product = (uf_view_wide)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t a1 = a >> 32, a0 = a & 0xffffffffu, b1 = b >> 32, b0 = b & 0xffffffffu;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffffu);
    *low = a * b;
    return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
}

/* k = 8: bit j of a key is in word j of its block. */
static inline int uf_view_test8(const uint64_t *block, uint64_t lo)
{
#if defined(__aarch64__) && defined(__ARM_NEON)
    uint64_t up = ~lo & UINT64_C(0x3f3f3f3f3f3f3f3f); /* moves it to the top of its word */
    uint64x2_t by = vcombine_u64(vcreate_u64(up), vcreate_u64(up >> 8));
    uint64x2_t a = vshlq_u64(vld1q_u64(block), vreinterpretq_s64_u64(by));
    uint64x2_t b = vshlq_u64(vld1q_u64(block + 2), vreinterpretq_s64_u64(vshrq_n_u64(by, 16)));
    uint64x2_t c = vshlq_u64(vld1q_u64(block + 4), vreinterpretq_s64_u64(vshrq_n_u64(by, 32)));
    uint64x2_t d = vshlq_u64(vld1q_u64(block + 6), vreinterpretq_s64_u64(vshrq_n_u64(by, 48)));
    uint64x2_t all = vandq_u64(vandq_u64(a, b), vandq_u64(c, d));
    return (int)((vgetq_lane_u64(all, 0) & vgetq_lane_u64(all, 1)) >> 63);
#else
    uint64_t all = 1;
    for (int j = 0; j < 8; j++)
        all &= block[j] >> (lo >> 8 * j & 63);
    return (int)(all & 1);
#endif
}

/* k = 16: bits 2j and 2j + 1 are in the halves of word j. */
static inline int uf_view_test16(const uint64_t *block, uint64_t lo)
{
    uint64_t more = lo * UINT64_C(0x9e3779b97f4a7c15), all = 1;
    more ^= more >> 32;
    for (int j = 0; j < 8; j++) {
        uint64_t bytes = (j < 4 ? lo : more) >> 16 * (j % 4);
        all &= block[j] >> (bytes & 31) & block[j] >> (32 + (bytes >> 8 & 31));
    }
    return (int)(all & 1);
}

/* What uf_query answers to the 8 bytes of `key`, the lowest first. */
static inline int uf_view_query64(const uf_view *view, uint64_t key)
{
    uint64_t lo, none, hi = uf_view_multiply(key ^ view->flip, UINT64_C(0x9e3779b185ebcaa7), &lo);
    hi += lo << 1;
    lo ^= hi >> 3;
    lo = (lo ^ lo >> 35) * UINT64_C(0x9fb21c651e98df25);
    hi = (hi ^ hi >> 37) * UINT64_C(0x165667919e3779f9);
    lo ^= lo >> 28;
    hi ^= hi >> 32;
    const uint64_t *block = view->words + uf_view_multiply(hi, view->blocks, &none) * 8;
    return view->k == 8 ? uf_view_test8(block, lo) : uf_view_test16(block, lo);
}

#endif
