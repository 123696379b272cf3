/* SPDX-License-Identifier: MIT */
/*
 * The features of a key. Four bytes in a row are taken from one load of eight, in which the marks around the window are
 * put; what the tokens are made of is counted apart (feature_counts.h). All indexes are written down before one is
 * used: made and used in turn, each look-up waits for a chain of multiplications. Nothing branches on what a letter is.
 */
#ifndef UF_FEATURE_INLINE_H
#define UF_FEATURE_INLINE_H

#include "feature_counts.h"

#define FEATURE_THREE UINT64_C(0xd6e8feb86659fd93)
#define FEATURE_FOUR UINT64_C(0xa0761d6478bd642f)

enum { GRAMS = 4 }; /* at a time */

#ifdef FEATURE_NEON
/* The upper half of value * factor modulo 2^64. Products of 64 bits are three cycles apart on a Neoverse-N1, these of
 * 32 are one. */
FEATURE_INLINE uint32x4_t upper_halves(uint32x4_t value, uint64_t factor)
{
    const uint32x2_t low = vdup_n_u32((uint32_t)factor);
    uint64x2_t one = vmull_u32(vget_low_u32(value), low), other = vmull_high_u32(value, vcombine_u32(low, low));
    uint32x4_t carried = vuzp2q_u32(vreinterpretq_u32_u64(one), vreinterpretq_u32_u64(other));
    return vmlaq_u32(carried, value, vdupq_n_u32((uint32_t)(factor >> 32)));
}

/* Of the four bytes that begin at each of the first GRAMS bytes of a word: of the last three, and of all. */
FEATURE_INLINE void grams_of(uint64_t word, unsigned shift, uint32_t out[2 * GRAMS])
{
    static const unsigned char apart[16] = {0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6};
    const int32x4_t down = vdupq_n_s32(32 - (int)shift);
    uint8x16_t bytes = vcombine_u8(vcreate_u8(word), vcreate_u8(0));
    uint32x4_t value = vreinterpretq_u32_u8(vqtbl1q_u8(bytes, vld1q_u8(apart)));
    uint32x4_t three = vshlq_u32(upper_halves(vshrq_n_u32(value, 8), FEATURE_THREE), down);
    uint32x4_t four = vshlq_u32(upper_halves(value, FEATURE_FOUR), down);
    vst1q_u32(out, vzip1q_u32(three, four));
    vst1q_u32(out + GRAMS, vzip2q_u32(three, four));
}
#else
FEATURE_INLINE void grams_of(uint64_t word, unsigned shift, uint32_t out[2 * GRAMS])
{
    for (size_t i = 0; i < GRAMS; i++, word >>= 8) {
        uint64_t value = (uint32_t)word;
        out[2 * i] = (uint32_t)((value >> 8) * FEATURE_THREE >> shift);
        out[2 * i + 1] = (uint32_t)(value * FEATURE_FOUR >> shift);
    }
}
#endif

/* For loops that use indexes as soon as that is cheap: called with the first of 2 * GRAMS that were written while those
 * behind them are being made. A constant where features_write is called, so that it becomes part of the loop. */
typedef void feature_use(void *arg, size_t first);

FEATURE_INLINE void use_later(void *arg, size_t first)
{
    (void)arg, (void)first;
}

/* From those that end with the second byte of the window to those that end with the mark behind it. In a copy, writes
 * up to 2 (GRAMS - 1) more than there are, where the tokens come. Returns how many were used. */
FEATURE_INLINE size_t put_grams(const struct window *window, unsigned shift, uint32_t *out, feature_use *use, void *arg)
{
    const unsigned char *bytes = window->bytes;
    const size_t size = window->size, last = size - GRAMS;
    size_t at = GRAMS;
    if (window->copied) {
        for (at = 0; at < size; at += GRAMS)
            grams_of(window_load(bytes + at - 2), shift, out + 2 * at);
        return 0;
    }
    grams_of(window_load(bytes) << 16 | 2 << 8, shift, out);
    for (; at < last; at += GRAMS) {
        grams_of(window_load(bytes + at - 3) >> 8, shift, out + 2 * at);
        use(arg, 2 * (at - GRAMS));
    }
    grams_of(window_load(bytes + size - 8) >> 16 | UINT64_C(3) << 48, shift, out + 2 * last);
    return 2 * (at - GRAMS);
}

FEATURE_INLINE unsigned at_most(unsigned value, unsigned most)
{
    return value < most ? value : most;
}

/* A hash of what follows the last dot. */
FEATURE_INLINE uint64_t ending_of(const struct window *window, unsigned after)
{
    unsigned size = window->size - after;
    if (!after || !size || size > 8)
        size = at_most(window->size, 3);
    uint64_t tail = window_load(window->bytes + window->size - 8); /* the last byte on top */
    return size ? (tail >> (64 - 8 * size)) * UINT64_C(0x9e3779b97f4a7c15) >> 28 : 0;
}

/* Exact below 64, then by powers of two. */
FEATURE_INLINE unsigned length_step(size_t size)
{
    return size < 64 ? (unsigned)size : 64 + (63 - (unsigned)__builtin_clzll((unsigned long long)size));
}

/* Token t with value v is (t * FEATURE_TAG + v) * FEATURE_TOKEN. */
#define FEATURE_TAG UINT64_C(0xe7037ed1a0b428db)
#define FEATURE_TOKEN UINT64_C(0x8cb92ba72f3d8dd7)
extern const uint64_t feature_token_start[FEATURES_TOKENS]; /* with value 0 */

FEATURE_INLINE void put_tokens(const struct window *window, size_t size, unsigned shift, uint32_t *out)
{
    const struct feature_counts count = FEATURE_COUNT(window);
    const unsigned seen = window->size, length = length_step(size), label = at_most(count.label, 30);
    const unsigned has = (count.digits ? 2u : 0u) | (count.hyphens ? 1u : 0u);
    const unsigned inside = at_most(count.label_vowels, 15) << 8 | at_most(count.label_digits, 7);
    const uint64_t ending = ending_of(window, count.after_dot) << 8;
    const uint64_t value[FEATURES_TOKENS] = {length,
                                             at_most(count.digits, 20),
                                             at_most(count.hyphens, 10),
                                             at_most(count.dots, 15),
                                             at_most(count.marks, 15),
                                             at_most(count.high, 15),
                                             count.vowels * 16 / (seen + 1),
                                             at_most(count.longest, FEATURE_MOST_RUN),
                                             ending,
                                             at_most(count.dots, 15) << 16 | has << 8 | seen / 3,
                                             ending | at_most(count.hyphens, 3) << 3 | at_most(count.digits, 4),
                                             ending | length,
                                             ending | at_most(count.dots, 7),
                                             label << 16 | inside,
                                             ending | label};
    for (unsigned i = 0; i < FEATURES_TOKENS; i++)
        out[i] = (uint32_t)((feature_token_start[i] + value[i] * FEATURE_TOKEN) >> shift);
}

/* All features_count of them. shift is 64 - log_weights. Returns how many were used. */
FEATURE_INLINE size_t features_write(uf_key key, unsigned shift, uint32_t out[FEATURES_MOST], feature_use *use,
                                     void *arg)
{
    struct window window;
    window_open(&window, key);
    size_t used = put_grams(&window, shift, out, use, arg);
    put_tokens(&window, key.size, shift, out + 2 * window.size);
    return used;
}

#endif
