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
INLINE void mask_of(uint64_t lo, unsigned k, uint64x2_t mask[4])
{
    if (k == 8) {
        uint8x16_t bytes = vreinterpretq_u8_u64(vdupq_n_u64(lo & UINT64_C(0x3f3f3f3f3f3f3f3f)));
        for (int v = 0; v < 4; v++) {
            uint8x16_t bit = vqtbl1q_u8(bytes, vld1q_u8(spread8[v]));
            mask[v] = vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u8(bit));
        }
        return;
    }
    uint64x2_t both = vcombine_u64(vcreate_u64(lo), vcreate_u64(blocked_more(lo)));
    uint8x16_t bytes = vandq_u8(vreinterpretq_u8_u64(both), vdupq_n_u8(31));
    for (int v = 0; v < 4; v++) {
        uint8x16_t bit = vqtbl1q_u8(bytes, vld1q_u8(spread16[v]));
        mask[v] = vreinterpretq_u64_u32(vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u8(bit)));
    }
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

/* Every lane's bit is moved to the top of its lane, where the lanes are ANDed: no table, and one look at the end. */
INLINE int contains(const uint64_t *block, uint64_t lo, unsigned k)
{
    uint64x2_t word[4] = {load_shared(block), load_shared(block + 2), load_shared(block + 4), load_shared(block + 6)};
    if (k == 8) {
        uint64_t up = ~lo & UINT64_C(0x3f3f3f3f3f3f3f3f); /* 63 - bit */
        uint64x2_t by =
            vcombine_u64(vcreate_u64(up), vcreate_u64(up >> 8)); /* of a shift only the lowest byte counts */
        word[0] = vshlq_u64(word[0], vreinterpretq_s64_u64(by));
        word[1] = vshlq_u64(word[1], vreinterpretq_s64_u64(vshrq_n_u64(by, 16)));
        word[2] = vshlq_u64(word[2], vreinterpretq_s64_u64(vshrq_n_u64(by, 32)));
        word[3] = vshlq_u64(word[3], vreinterpretq_s64_u64(vshrq_n_u64(by, 48)));
        uint64x2_t all = vandq_u64(vandq_u64(word[0], word[1]), vandq_u64(word[2], word[3]));
        return (int)((vgetq_lane_u64(all, 0) & vgetq_lane_u64(all, 1)) >> 63);
    }
    uint64x2_t both = vcombine_u64(vcreate_u64(lo), vcreate_u64(blocked_more(lo)));
    uint8x16_t up = vbicq_u8(vdupq_n_u8(31), vreinterpretq_u8_u64(both));
    uint16x8_t low = vmovl_u8(vget_low_u8(up)), high = vmovl_high_u8(up);
    uint32x4_t by[4] = {vmovl_u16(vget_low_u16(low)), vmovl_high_u16(low), vmovl_u16(vget_low_u16(high)),
                        vmovl_high_u16(high)};
    uint32x4_t all = vdupq_n_u32(UINT32_MAX);
    for (int v = 0; v < 4; v++)
        all = vandq_u32(all, vshlq_u32(vreinterpretq_u32_u64(word[v]), vreinterpretq_s32_u32(by[v])));
    return (int)((uint32_t)vmaxvq_s32(vreinterpretq_s32_u32(all)) >> 31);
}

INLINE int insert(uint64_t *block, uint64_t lo, unsigned k)
{
    uint64x2_t mask[4], missing = vdupq_n_u64(0);
    mask_of(lo, k, mask);
    for (int v = 0; v < 4; v++) {
        uint64x2_t old = vld1q_u64(block + 2 * v);
        missing = vorrq_u64(missing, vbicq_u64(mask[v], old));
        vst1q_u64(block + 2 * v, vorrq_u64(old, mask[v]));
    }
    return vmaxvq_u32(vreinterpretq_u32_u64(missing)) != 0;
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

INLINE uint64_t growth(const uint64_t *block, uint64_t lo, unsigned k, double scale)
{
    uint64x2_t before[4], after[4], mask[4];
    mask_of(lo, k, mask);
    for (int v = 0; v < 4; v++) {
        before[v] = vld1q_u64(block + 2 * v);
        after[v] = vorrq_u64(before[v], mask[v]);
    }
    return (uint64_t)(product_of(after, k) * scale) - (uint64_t)(product_of(before, k) * scale);
}

#include "blocked_path.h"

const struct filter_calls blocked_neon[2] = BLOCKED_PATHS;

#else

const struct filter_calls blocked_neon[2];

#endif
