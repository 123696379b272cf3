/* SPDX-License-Identifier: MIT */
/*
 * Eight columns at once, for the dot product of a coefficient and eight columns. The functions are those of the
 * instructions that the file which includes this is compiled for; LINEAR_SCALAR asks for the specification, without
 * any. In a lane is one column: 64 slots of it, or in its lowest bit a parity.
 */
#ifndef UF_LINEAR_EIGHT_H
#define UF_LINEAR_EIGHT_H

#include <stdint.h>

#define LINEAR_INLINE static inline __attribute__((always_inline))

#if defined(__aarch64__) && !defined(LINEAR_SCALAR)
#include <arm_neon.h>

/* Fields and not an array: a compiler keeps those in registers wherever they go. */
struct linear_eight {
    uint64x2_t a, b, c, d;
};

LINEAR_INLINE struct linear_eight linear_load8(const uint64_t column[8])
{
    return (struct linear_eight){vld1q_u64(column), vld1q_u64(column + 2), vld1q_u64(column + 4),
                                 vld1q_u64(column + 6)};
}

LINEAR_INLINE void linear_store8(struct linear_eight x, uint64_t column[8])
{
    vst1q_u64(column, x.a);
    vst1q_u64(column + 2, x.b);
    vst1q_u64(column + 4, x.c);
    vst1q_u64(column + 6, x.d);
}

LINEAR_INLINE struct linear_eight linear_and8(struct linear_eight x, uint64_t mask)
{
    uint64x2_t with = vdupq_n_u64(mask);
    return (struct linear_eight){vandq_u64(x.a, with), vandq_u64(x.b, with), vandq_u64(x.c, with),
                                 vandq_u64(x.d, with)};
}

LINEAR_INLINE struct linear_eight linear_xor8(struct linear_eight x, struct linear_eight y)
{
    return (struct linear_eight){veorq_u64(x.a, y.a), veorq_u64(x.b, y.b), veorq_u64(x.c, y.c), veorq_u64(x.d, y.d)};
}

/* The bits of x where `mask` is 1, of y where it is 0. */
LINEAR_INLINE struct linear_eight linear_select8(uint64_t mask, struct linear_eight x, struct linear_eight y)
{
    uint64x2_t take = vdupq_n_u64(mask);
    return (struct linear_eight){vbslq_u64(take, x.a, y.a), vbslq_u64(take, x.b, y.b), vbslq_u64(take, x.c, y.c),
                                 vbslq_u64(take, x.d, y.d)};
}

LINEAR_INLINE uint8x16_t linear_count2(uint64x2_t x)
{
    return vcntq_u8(vreinterpretq_u8_u64(x));
}

/* Bit j of the result is the parity of lane j: bits of bytes are counted, bytes added in pairs until one is left. */
LINEAR_INLINE uint64_t linear_parity8(struct linear_eight x)
{
    static const uint8_t weight[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t quarters = vpaddq_u8(linear_count2(x.a), linear_count2(x.b));
    uint8x16_t halves = vpaddq_u8(quarters, vpaddq_u8(linear_count2(x.c), linear_count2(x.d)));
    uint8x8_t odd = vtst_u8(vget_low_u8(vpaddq_u8(halves, halves)), vdup_n_u8(1));
    return vaddv_u8(vand_u8(odd, vld1_u8(weight)));
}

LINEAR_INLINE uint64x2_t linear_parity2(uint64x2_t x)
{
    return vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(linear_count2(x))));
}

/* The parity of every lane in its lowest bit; the others are anything. */
LINEAR_INLINE struct linear_eight linear_parities8(struct linear_eight x)
{
    return (struct linear_eight){linear_parity2(x.a), linear_parity2(x.b), linear_parity2(x.c), linear_parity2(x.d)};
}

LINEAR_INLINE uint64x2_t linear_spread2(uint64_t bits, int first)
{
    const int64_t by[2] = {-first, -first - 1};
    return vshlq_u64(vdupq_n_u64(bits), vld1q_s64(by));
}

/* Bit j to the lowest bit of lane j; the others are anything. */
LINEAR_INLINE struct linear_eight linear_spread8(uint64_t bits)
{
    return (struct linear_eight){linear_spread2(bits, 0), linear_spread2(bits, 2), linear_spread2(bits, 4),
                                 linear_spread2(bits, 6)};
}

/* Every lane moves up by one bit, and the lowest bit of `in` follows. */
LINEAR_INLINE struct linear_eight linear_push8(struct linear_eight x, struct linear_eight in)
{
    return (struct linear_eight){vsliq_n_u64(in.a, x.a, 1), vsliq_n_u64(in.b, x.b, 1), vsliq_n_u64(in.c, x.c, 1),
                                 vsliq_n_u64(in.d, x.d, 1)};
}

/* The highest bit of every lane as its lowest. */
LINEAR_INLINE struct linear_eight linear_top8(struct linear_eight x)
{
    return (struct linear_eight){vshrq_n_u64(x.a, 63), vshrq_n_u64(x.b, 63), vshrq_n_u64(x.c, 63),
                                 vshrq_n_u64(x.d, 63)};
}

#elif defined(__AVX512F__) && defined(__AVX512VPOPCNTDQ__) && !defined(LINEAR_SCALAR)
#include <immintrin.h>

struct linear_eight {
    __m512i all;
};

LINEAR_INLINE struct linear_eight linear_load8(const uint64_t column[8])
{
    return (struct linear_eight){_mm512_loadu_si512(column)};
}

LINEAR_INLINE void linear_store8(struct linear_eight x, uint64_t column[8])
{
    _mm512_storeu_si512(column, x.all);
}

LINEAR_INLINE struct linear_eight linear_and8(struct linear_eight x, uint64_t mask)
{
    return (struct linear_eight){_mm512_and_si512(x.all, _mm512_set1_epi64((long long)mask))};
}

LINEAR_INLINE struct linear_eight linear_xor8(struct linear_eight x, struct linear_eight y)
{
    return (struct linear_eight){_mm512_xor_si512(x.all, y.all)};
}

/* 0xca: of the first operand's bit, 1 takes the second, 0 the third. */
LINEAR_INLINE struct linear_eight linear_select8(uint64_t mask, struct linear_eight x, struct linear_eight y)
{
    return (struct linear_eight){_mm512_ternarylogic_epi64(_mm512_set1_epi64((long long)mask), x.all, y.all, 0xca)};
}

LINEAR_INLINE struct linear_eight linear_parities8(struct linear_eight x)
{
    return (struct linear_eight){_mm512_popcnt_epi64(x.all)};
}

LINEAR_INLINE uint64_t linear_parity8(struct linear_eight x)
{
    return _cvtmask8_u32(_mm512_test_epi64_mask(linear_parities8(x).all, _mm512_set1_epi64(1)));
}

LINEAR_INLINE struct linear_eight linear_spread8(uint64_t bits)
{
    __m512i by = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    return (struct linear_eight){_mm512_srlv_epi64(_mm512_set1_epi64((long long)bits), by)};
}

/* 0xf8: the first operand, or both of the others. */
LINEAR_INLINE struct linear_eight linear_push8(struct linear_eight x, struct linear_eight in)
{
    __m512i up = _mm512_add_epi64(x.all, x.all);
    return (struct linear_eight){_mm512_ternarylogic_epi64(up, in.all, _mm512_set1_epi64(1), 0xf8)};
}

LINEAR_INLINE struct linear_eight linear_top8(struct linear_eight x)
{
    return (struct linear_eight){_mm512_srli_epi64(x.all, 63)};
}

#elif defined(__AVX2__) && !defined(LINEAR_SCALAR)
#include <immintrin.h>

struct linear_eight {
    __m256i lo, hi;
};

LINEAR_INLINE struct linear_eight linear_load8(const uint64_t column[8])
{
    return (struct linear_eight){_mm256_loadu_si256((const void *)column),
                                 _mm256_loadu_si256((const void *)(column + 4))};
}

LINEAR_INLINE void linear_store8(struct linear_eight x, uint64_t column[8])
{
    _mm256_storeu_si256((void *)column, x.lo);
    _mm256_storeu_si256((void *)(column + 4), x.hi);
}

LINEAR_INLINE struct linear_eight linear_and8(struct linear_eight x, uint64_t mask)
{
    __m256i with = _mm256_set1_epi64x((long long)mask);
    return (struct linear_eight){_mm256_and_si256(x.lo, with), _mm256_and_si256(x.hi, with)};
}

LINEAR_INLINE struct linear_eight linear_xor8(struct linear_eight x, struct linear_eight y)
{
    return (struct linear_eight){_mm256_xor_si256(x.lo, y.lo), _mm256_xor_si256(x.hi, y.hi)};
}

LINEAR_INLINE __m256i linear_select4(__m256i take, __m256i x, __m256i y)
{
    return _mm256_or_si256(_mm256_and_si256(take, x), _mm256_andnot_si256(take, y));
}

LINEAR_INLINE struct linear_eight linear_select8(uint64_t mask, struct linear_eight x, struct linear_eight y)
{
    __m256i take = _mm256_set1_epi64x((long long)mask);
    return (struct linear_eight){linear_select4(take, x.lo, y.lo), linear_select4(take, x.hi, y.hi)};
}

/* Bytes are folded to four bits, those looked up, and the bytes of a lane added. */
LINEAR_INLINE __m256i linear_parity4(__m256i x)
{
    __m256i odd = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0));
    __m256i folded = _mm256_xor_si256(x, _mm256_srli_epi64(x, 4));
    __m256i byte = _mm256_shuffle_epi8(odd, _mm256_and_si256(folded, _mm256_set1_epi8(15)));
    return _mm256_sad_epu8(byte, _mm256_setzero_si256());
}

LINEAR_INLINE struct linear_eight linear_parities8(struct linear_eight x)
{
    return (struct linear_eight){linear_parity4(x.lo), linear_parity4(x.hi)};
}

LINEAR_INLINE uint64_t linear_lowest4(__m256i x)
{
    return (uint64_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(x, 63)));
}

LINEAR_INLINE uint64_t linear_parity8(struct linear_eight x)
{
    return linear_lowest4(linear_parity4(x.lo)) | linear_lowest4(linear_parity4(x.hi)) << 4;
}

LINEAR_INLINE struct linear_eight linear_spread8(uint64_t bits)
{
    __m256i all = _mm256_set1_epi64x((long long)bits);
    return (struct linear_eight){_mm256_srlv_epi64(all, _mm256_setr_epi64x(0, 1, 2, 3)),
                                 _mm256_srlv_epi64(all, _mm256_setr_epi64x(4, 5, 6, 7))};
}

LINEAR_INLINE __m256i linear_push4(__m256i x, __m256i in)
{
    return _mm256_or_si256(_mm256_add_epi64(x, x), _mm256_and_si256(in, _mm256_set1_epi64x(1)));
}

LINEAR_INLINE struct linear_eight linear_push8(struct linear_eight x, struct linear_eight in)
{
    return (struct linear_eight){linear_push4(x.lo, in.lo), linear_push4(x.hi, in.hi)};
}

LINEAR_INLINE struct linear_eight linear_top8(struct linear_eight x)
{
    return (struct linear_eight){_mm256_srli_epi64(x.lo, 63), _mm256_srli_epi64(x.hi, 63)};
}

#else

struct linear_eight {
    uint64_t column[8];
};

LINEAR_INLINE struct linear_eight linear_load8(const uint64_t column[8])
{
    struct linear_eight x;
    for (int i = 0; i < 8; i++)
        x.column[i] = column[i];
    return x;
}

LINEAR_INLINE void linear_store8(struct linear_eight x, uint64_t column[8])
{
    for (int i = 0; i < 8; i++)
        column[i] = x.column[i];
}

LINEAR_INLINE struct linear_eight linear_and8(struct linear_eight x, uint64_t mask)
{
    for (int i = 0; i < 8; i++)
        x.column[i] &= mask;
    return x;
}

LINEAR_INLINE struct linear_eight linear_xor8(struct linear_eight x, struct linear_eight y)
{
    for (int i = 0; i < 8; i++)
        x.column[i] ^= y.column[i];
    return x;
}

LINEAR_INLINE struct linear_eight linear_select8(uint64_t mask, struct linear_eight x, struct linear_eight y)
{
    for (int i = 0; i < 8; i++)
        x.column[i] = (x.column[i] & mask) | (y.column[i] & ~mask);
    return x;
}

/* Folds two words to half their width and packs them side by side: halves of `width` bits, chosen by `low`. */
LINEAR_INLINE uint64_t linear_fold(uint64_t a, uint64_t b, unsigned width, uint64_t low)
{
    return ((a ^ a >> width) & low) | ((b ^ b << width) & ~low);
}

/* 8 x 64 bits -> 4 x 64 (two of 32 each) -> 2 -> 1 word of 8 bytes, byte j with the parity of column j -> 8 bits. */
LINEAR_INLINE uint64_t linear_parity8(struct linear_eight x)
{
    uint64_t a[4], b[2];
    for (int i = 0; i < 4; i++)
        a[i] = linear_fold(x.column[i], x.column[i + 4], 32, UINT64_C(0x00000000ffffffff));
    for (int i = 0; i < 2; i++)
        b[i] = linear_fold(a[i], a[i + 2], 16, UINT64_C(0x0000ffff0000ffff));
    uint64_t c = linear_fold(b[0], b[1], 8, UINT64_C(0x00ff00ff00ff00ff));
    c ^= c >> 4;
    c ^= c >> 2;
    c = (c ^ c >> 1) & UINT64_C(0x0101010101010101);
    return c * UINT64_C(0x0102040810204080) >> 56;
}

LINEAR_INLINE struct linear_eight linear_spread8(uint64_t bits)
{
    struct linear_eight x;
    for (int i = 0; i < 8; i++)
        x.column[i] = bits >> i;
    return x;
}

LINEAR_INLINE struct linear_eight linear_parities8(struct linear_eight x)
{
    return linear_spread8(linear_parity8(x));
}

LINEAR_INLINE struct linear_eight linear_push8(struct linear_eight x, struct linear_eight in)
{
    for (int i = 0; i < 8; i++)
        x.column[i] = x.column[i] << 1 | (in.column[i] & 1);
    return x;
}

LINEAR_INLINE struct linear_eight linear_top8(struct linear_eight x)
{
    for (int i = 0; i < 8; i++)
        x.column[i] >>= 63;
    return x;
}

#endif

#endif
