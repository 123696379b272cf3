/* SPDX-License-Identifier: MIT */
/* blocked on NEON: the block is four vectors of two 64-bit lanes (k = 8) or four 32-bit lanes (k = 16). */
#include "blocked.h"

#if defined(__aarch64__)
#include <arm_neon.h>

#define NO 255 /* past the end of the table: the byte becomes 0 */

/* Which byte goes to which lane. A byte alone in its lane is the lane's shift count. */
static const uint8_t spread8[4][16] = {
    {0, NO, NO, NO, NO, NO, NO, NO, 1, NO, NO, NO, NO, NO, NO, NO},
    {2, NO, NO, NO, NO, NO, NO, NO, 3, NO, NO, NO, NO, NO, NO, NO},
    {4, NO, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO},
    {6, NO, NO, NO, NO, NO, NO, NO, 7, NO, NO, NO, NO, NO, NO, NO},
};
static const uint8_t spread16[4][16] = {
    {0, NO, NO, NO, 1, NO, NO, NO, 2, NO, NO, NO, 3, NO, NO, NO},
    {4, NO, NO, NO, 5, NO, NO, NO, 6, NO, NO, NO, 7, NO, NO, NO},
    {8, NO, NO, NO, 9, NO, NO, NO, 10, NO, NO, NO, 11, NO, NO, NO},
    {12, NO, NO, NO, 13, NO, NO, NO, 14, NO, NO, NO, 15, NO, NO, NO},
};

/* Bits of lanes 2v and 2v+1 (k = 8), or of lanes 4v to 4v+3 (k = 16). Shifts by a register are slow on some cores, so
 * the bytes are spread by table look-ups. */
INLINE void mask_of_bytes(uint8x16_t bytes, unsigned k, uint64x2_t mask[4])
{
    for (int v = 0; v < 4; v++) {
        uint8x16_t bit = vqtbl1q_u8(bytes, vld1q_u8(k == 8 ? spread8[v] : spread16[v]));
        mask[v] = k == 8 ? vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u8(bit))
                         : vreinterpretq_u64_u32(vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u8(bit)));
    }
}

INLINE void mask_of(uint64_t lo, unsigned k, uint64x2_t mask[4])
{
    uint64x2_t both = k == 8 ? vdupq_n_u64(lo & UINT64_C(0x3f3f3f3f3f3f3f3f))
                             : vandq_u64(vcombine_u64(vcreate_u64(lo), vcreate_u64(blocked_more(lo))),
                                         vreinterpretq_u64_u8(vdupq_n_u8(31)));
    mask_of_bytes(vreinterpretq_u8_u64(both), k, mask);
}

/* Two words of a block to which other threads may be adding. The architecture reads each 64-bit lane of a vector at
 * once (Arm ARM, B2.2.1), as a relaxed load does; C has no name for a vector of relaxed loads, so the thread sanitizer
 * is shown the two that this one stands for. */
INLINE uint64x2_t load_shared(const uint64_t *words)
{
#if BLOCKED_LOADS_APART
    return vcombine_u64(vcreate_u64(__atomic_load_n(&words[0], __ATOMIC_RELAXED)),
                        vcreate_u64(__atomic_load_n(&words[1], __ATOMIC_RELAXED)));
#else
    return vld1q_u64(words);
#endif
}

/* The four vectors of a block, by two instructions: the empty asm keeps the loads side by side. Written out: of a loop
 * gcc 12 makes a copy on the stack, which took 4 ns. */
INLINE void load_block(const uint64_t *block, uint64x2_t word[4])
{
    word[0] = load_shared(block);
    word[1] = load_shared(block + 2);
    word[2] = load_shared(block + 4);
    word[3] = load_shared(block + 6);
    __asm__ volatile("" : : "w"(word[0]), "w"(word[1]), "w"(word[2]), "w"(word[3]));
}

/* The lanes `word`, each moved to the left by `up`, which brings the bit that is asked for to the top; and all vectors
 * of them into one. */
INLINE uint64x2_t lanes_all(const uint64x2_t word[4], const uint64x2_t up[4], unsigned k)
{
    uint64x2_t all[4];
    for (int v = 0; v < 4; v++)
        all[v] = k == 8
                     ? vshlq_u64(word[v], vreinterpretq_s64_u64(up[v]))
                     : vreinterpretq_u64_u32(vshlq_u32(vreinterpretq_u32_u64(word[v]), vreinterpretq_s32_u64(up[v])));
    return vandq_u64(vandq_u64(all[0], all[1]), vandq_u64(all[2], all[3]));
}

/* Is the bit at the top of all lanes set? */
INLINE int all_set(const uint64x2_t word[4], const uint64x2_t up[4], unsigned k)
{
    uint64x2_t all = lanes_all(word, up, k);
    if (k == 8)
        return (int)((vgetq_lane_u64(all, 0) & vgetq_lane_u64(all, 1)) >> 63);
    return (int)((uint32_t)vmaxvq_s32(vreinterpretq_s32_u64(all)) >> 31);
}

INLINE int contains(const uint64_t *block, uint64_t lo, unsigned k)
{
    uint64x2_t word[4], up[4], both;
    load_block(block, word);
    both = k == 8 ? vdupq_n_u64(~lo & UINT64_C(0x3f3f3f3f3f3f3f3f))
                  : vbicq_u64(vreinterpretq_u64_u8(vdupq_n_u8(31)),
                              vcombine_u64(vcreate_u64(lo), vcreate_u64(blocked_more(lo))));
    for (int v = 0; v < 4; v++)
        up[v] =
            vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(both), vld1q_u8(k == 8 ? spread8[v] : spread16[v])));
    return all_set(word, up, k);
}

INLINE int insert_mask(uint64_t *block, const uint64x2_t mask[4])
{
    uint64x2_t missing = vdupq_n_u64(0);
    for (int v = 0; v < 4; v++) {
        uint64x2_t old = vld1q_u64(block + 2 * v);
        missing = vorrq_u64(missing, vbicq_u64(mask[v], old));
        vst1q_u64(block + 2 * v, vorrq_u64(old, mask[v]));
    }
    return vmaxvq_u32(vreinterpretq_u32_u64(missing)) != 0;
}

INLINE int insert(uint64_t *block, uint64_t lo, unsigned k)
{
    uint64x2_t mask[4];
    mask_of(lo, k, mask);
    return insert_mask(block, mask);
}

/* ---- one key alone, for which loading the tables would not pay ---- */

#define BLOCKED_ALONE

/* The bytes of `both`, each to its lane: lo of k = 8, lo and more of k = 16. Of a shift only the lowest byte counts, so
 * what is above it may stay. */
INLINE void spread_alone(uint64_t lo, uint64_t more, unsigned k, uint64x2_t out[4])
{
    if (k == 8) {
        out[0] = vcombine_u64(vcreate_u64(lo), vcreate_u64(lo >> 8));
        out[1] = vshrq_n_u64(out[0], 16);
        out[2] = vshrq_n_u64(out[0], 32);
        out[3] = vshrq_n_u64(out[0], 48);
        return;
    }
    uint16x8_t low = vmovl_u8(vcreate_u8(lo)), high = vmovl_u8(vcreate_u8(more));
    out[0] = vreinterpretq_u64_u32(vmovl_u16(vget_low_u16(low)));
    out[1] = vreinterpretq_u64_u32(vmovl_high_u16(low));
    out[2] = vreinterpretq_u64_u32(vmovl_u16(vget_low_u16(high)));
    out[3] = vreinterpretq_u64_u32(vmovl_high_u16(high));
}

/* Of each byte what is its lane's bit. */
INLINE uint64_t bit_bytes(uint64_t bytes, unsigned k)
{
    return bytes & (k == 8 ? UINT64_C(0x3f3f3f3f3f3f3f3f) : UINT64_C(0x1f1f1f1f1f1f1f1f));
}

INLINE int contains_alone(const uint64_t *block, uint64_t lo, unsigned k)
{
    uint64x2_t word[4], up[4];
    load_block(block, word);
    spread_alone(bit_bytes(~lo, k), bit_bytes(~blocked_more(lo), k), k, up); /* 63 - bit, or 31 - bit */
    return all_set(word, up, k);
}

INLINE int insert_alone(uint64_t *block, uint64_t lo, unsigned k)
{
    uint64x2_t mask[4];
    spread_alone(bit_bytes(lo, k), bit_bytes(blocked_more(lo), k), k, mask);
    for (int v = 0; v < 4; v++)
        mask[v] = k == 8 ? vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u64(mask[v]))
                         : vreinterpretq_u64_u32(vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u64(mask[v])));
    return insert_mask(block, mask);
}

/* The product of the ones of all lanes: as blocked_share says, with its products below 2^53 in another order. */
INLINE double product_of(const uint64x2_t words[4], unsigned k)
{
    uint32x4_t ones[4];
    float64x2_t both;
    for (int v = 0; v < 4; v++)
        ones[v] = vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(words[v]))));
    if (k == 8) {
        uint32x4_t low = vpaddq_u32(ones[0], ones[1]), high = vpaddq_u32(ones[2], ones[3]);
        uint32x4_t pairs = vmulq_u32(low, high);
        uint64x2_t fours = vmull_u32(vget_low_u32(pairs), vget_high_u32(pairs));
        both = vcvtq_f64_u64(fours);
    } else {
        uint32x4_t fours = vmulq_u32(vmulq_u32(ones[0], ones[1]), vmulq_u32(ones[2], ones[3]));
        both = vcvtq_f64_u64(vmull_u32(vget_low_u32(fours), vget_high_u32(fours)));
    }
    return vgetq_lane_f64(both, 0) * vgetq_lane_f64(both, 1);
}

/* One mask and one load for all three: is it there, by how much would the share grow, and then set its bits. */
#define BLOCKED_WITHIN

INLINE int insert_spare(uint64_t *block, uint64_t lo, unsigned k, double scale, struct spare *spare)
{
    uint64x2_t before[4], after[4], mask[4], fresh = vdupq_n_u64(0);
    mask_of(lo, k, mask);
    load_block(block, before);
    for (int v = 0; v < 4; v++) {
        after[v] = vorrq_u64(before[v], mask[v]);
        fresh = vorrq_u64(fresh, veorq_u64(before[v], after[v]));
    }
    if (!vmaxvq_u32(vreinterpretq_u32_u64(fresh)))
        return 0;
    uint64_t growth = (uint64_t)(product_of(after, k) * scale) - (uint64_t)(product_of(before, k) * scale);
    if (!spare_take(spare, growth, 0))
        return UF_EFULL;
    for (int v = 0; v < 4; v++)
        vst1q_u64(block + 2 * v, after[v]);
    return 1;
}

#include "blocked_pairs.h"
#define BLOCKED_PAIRS
#include "blocked_path.h"

const struct filter_calls blocked_neon[2] = BLOCKED_PATHS;

#else

const struct filter_calls blocked_neon[2];

#endif
