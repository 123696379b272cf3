/* SPDX-License-Identifier: MIT */
/* blocked on NEON: the block is four vectors of two 64-bit lanes (k = 8) or four 32-bit lanes (k = 16). */
#include "blocked.h"

#if defined(__aarch64__)
#include <arm_neon.h>

/* Bits of lanes 2v and 2v+1 (k = 8), or of lanes 4v to 4v+3 (k = 16). */
INLINE void mask_of(uint64_t lo, unsigned k, uint64x2_t mask[4])
{
    if (k == 8) {
        uint64x2_t all = vdupq_n_u64(lo), one = vdupq_n_u64(1), low6 = vdupq_n_u64(63);
        for (int v = 0; v < 4; v++) {
            const int64_t down[2] = {-12 * v, -12 * v - 6};
            uint64x2_t bit = vandq_u64(vshlq_u64(all, vld1q_s64(down)), low6);
            mask[v] = vshlq_u64(one, vreinterpretq_s64_u64(bit));
        }
        return;
    }
    static const int32_t down[4] = {0, -5, -10, -15};
    uint32x4_t one = vdupq_n_u32(1), low5 = vdupq_n_u32(31);
    uint32_t group[4];
    blocked_groups(lo, group);
    for (int v = 0; v < 4; v++) {
        uint32x4_t bit = vandq_u32(vshlq_u32(vdupq_n_u32(group[v]), vld1q_s32(down)), low5);
        mask[v] = vreinterpretq_u64_u32(vshlq_u32(one, vreinterpretq_s32_u32(bit)));
    }
}

INLINE int contains(const uint64_t *block, uint64_t lo, unsigned k)
{
    uint64x2_t mask[4];
    mask_of(lo, k, mask);
    uint64x2_t missing01 = vorrq_u64(vbicq_u64(mask[0], vld1q_u64(block)), vbicq_u64(mask[1], vld1q_u64(block + 2)));
    uint64x2_t missing23 =
        vorrq_u64(vbicq_u64(mask[2], vld1q_u64(block + 4)), vbicq_u64(mask[3], vld1q_u64(block + 6)));
    return vmaxvq_u32(vreinterpretq_u32_u64(vorrq_u64(missing01, missing23))) == 0;
}

INLINE void add(uint64_t *block, uint64_t lo, unsigned k)
{
    uint64x2_t mask[4];
    mask_of(lo, k, mask);
    for (int v = 0; v < 4; v++)
        vst1q_u64(block + 2 * v, vorrq_u64(vld1q_u64(block + 2 * v), mask[v]));
}

#include "blocked_path.h"

const struct filter_calls blocked_neon[2] = BLOCKED_PATHS;

#else

const struct filter_calls blocked_neon[2];

#endif
