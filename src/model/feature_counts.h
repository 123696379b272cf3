/* SPDX-License-Identifier: MIT */
/*
 * What tokens count in the window of a key: bytes of each class, all of them and those of the label before the last
 * dot, and the longest run of consonants. Byte by byte, which is the specification, and on NEON by masks: a class is a
 * mask with one bit for each byte, so that counts are populations of masks and a run is one that is left when a mask
 * meets its own shifts.
 */
#ifndef UF_FEATURE_COUNTS_H
#define UF_FEATURE_COUNTS_H

#include <string.h>

#include "feature.h"

#if defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>
#define FEATURE_NEON
#endif

#define FEATURE_INLINE static inline __attribute__((always_inline))

/* One bit for each class; a byte is in one at most. */
enum feature_class {
    CLASS_DIGIT = 1,
    CLASS_VOWEL = 2,
    CLASS_CONSONANT = 4,
    CLASS_DOT = 8,
    CLASS_HYPHEN = 16,
    CLASS_MARK = 32,
    CLASS_HIGH = 64
};

extern const unsigned char feature_class_of[256];

enum {
    WINDOW_BLOCK = 64,     /* bytes that are looked at together */
    WINDOW_VECTOR = 16,    /* bytes that are loaded together */
    FEATURE_MOST_RUN = 12, /* longer ones count as this */
};

/* The bytes that a model sees. Those of most keys are seen where they are; short keys, and long ones of which the
 * middle is left out, in a copy with zeros and a 2 in front, and a 3 and zeros behind. */
struct window {
    const unsigned char *bytes; /* of a copy, WINDOW_VECTOR bytes before their end may be loaded, else 8 */
    unsigned size;
    int copied;
    unsigned char copy[2 * WINDOW_VECTOR + FEATURES_WINDOW + WINDOW_VECTOR];
};

struct feature_counts {
    unsigned digits, hyphens, dots, marks, high, vowels;
    unsigned after_dot;                         /* bytes up to the last dot; 0: there is none */
    unsigned longest;                           /* run of consonants; from FEATURE_MOST_RUN on any such number */
    unsigned label, label_vowels, label_digits; /* between the last two dots; without a dot, in all */
};

/* Eight bytes, the last one on top. */
FEATURE_INLINE uint64_t window_load(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

FEATURE_INLINE void window_copy(struct window *window, uf_key key)
{
    const size_t half = FEATURES_WINDOW / 2, first = key.size <= FEATURES_WINDOW ? key.size : half;
    unsigned char *start = window->copy + 2 * WINDOW_VECTOR;
    memset(window->copy, 0, 2 * WINDOW_VECTOR);
    start[-1] = 2;
    for (size_t i = 0; i < first; i++)
        start[i] = ((const unsigned char *)key.data)[i];
    if (key.size > FEATURES_WINDOW)
        memcpy(start + half, (const unsigned char *)key.data + key.size - half, half);
    window->size = (unsigned)(key.size <= FEATURES_WINDOW ? first : 2 * half);
    memset(start + window->size, 0, WINDOW_VECTOR);
    start[window->size] = 3;
    window->bytes = start;
}

FEATURE_INLINE void window_open(struct window *window, uf_key key)
{
    window->copied = key.size < 8 || key.size > FEATURES_WINDOW;
    window->bytes = key.data;
    window->size = (unsigned)key.size;
    if (window->copied)
        window_copy(window, key);
}

/* ---- byte by byte ---- */

FEATURE_INLINE struct feature_counts count_in_turn(const struct window *window)
{
    struct feature_counts count = {0};
    unsigned run = 0, dot = 0, label = 0, vowels = 0, digits = 0; /* since the last dot */
    for (unsigned i = 0; i < window->size; i++) {
        const unsigned class = feature_class_of[window->bytes[i]];
        const unsigned vowel = class / CLASS_VOWEL % 2, digit = class / CLASS_DIGIT % 2;
        dot = class / CLASS_DOT % 2;
        count.digits += digit;
        count.vowels += vowel;
        count.dots += dot;
        count.hyphens += class / CLASS_HYPHEN % 2;
        count.marks += class / CLASS_MARK % 2;
        count.high += class / CLASS_HIGH % 2;
        run = (run + 1) & (0 - class / CLASS_CONSONANT % 2);
        count.longest = run > count.longest ? run : count.longest;
        count.label = dot ? label : count.label;
        count.label_vowels = dot ? vowels : count.label_vowels;
        count.label_digits = dot ? digits : count.label_digits;
        count.after_dot = dot ? i + 1 : count.after_dot;
        label = dot ? 0 : label + 1;
        vowels = dot ? 0 : vowels + vowel;
        digits = dot ? 0 : digits + digit;
    }
    if (count.after_dot)
        return count;
    count.label = label;
    count.label_vowels = vowels;
    count.label_digits = digits;
    return count;
}

#ifdef FEATURE_NEON
/* ---- by masks ---- */

enum { WINDOW_BLOCKS = (FEATURES_WINDOW + WINDOW_BLOCK - 1) / WINDOW_BLOCK };

/* Of a block: bytes of each class, in eight bits each, the lowest those of the class with bit 0; and where they are. */
struct block_classes {
    uint64_t counts, digits, vowels, consonants, dots;
};

/* So many vectors of bytes that are 0 or 255: 2 or 4, as in all that follows. */
FEATURE_INLINE uint64_t mask_bits(const uint8x16_t byte[4], int vectors)
{
    const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
    uint8x16_t low = vpaddq_u8(vandq_u8(byte[0], bit), vandq_u8(byte[1], bit)), high = vdupq_n_u8(0);
    if (vectors == 4)
        high = vpaddq_u8(vandq_u8(byte[2], bit), vandq_u8(byte[3], bit));
    low = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(low, low)), 0);
}

/* Which bytes are of a class; the sum is minus how many of every 16th byte are. */
FEATURE_INLINE uint8x16_t is_class(const uint8x16_t class[4], enum feature_class one, uint8x16_t out[4], int vectors)
{
    for (int v = 0; v < vectors; v++)
        out[v] = vtstq_u8(class[v], vdupq_n_u8((uint8_t)one));
    uint8x16_t sum = vaddq_u8(out[0], out[1]);
    return vectors == 4 ? vaddq_u8(sum, vaddq_u8(out[2], out[3])) : sum;
}

/* The bytes from `at`, zeros behind the last. */
FEATURE_INLINE uint8x16_t window_vector(const struct window *window, unsigned at)
{
    static const unsigned char order[WINDOW_VECTOR] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const int last = (int)window->size - WINDOW_VECTOR, from = (int)at < last ? (int)at : last;
    const uint8x16_t skipped = vdupq_n_u8((uint8_t)((int)at - from));
    return vqtbl1q_u8(vld1q_u8(window->bytes + from), vqaddq_u8(vld1q_u8(order), skipped));
}

/* 8 to 15 bytes. */
FEATURE_INLINE uint8x16_t short_vector(const struct window *window)
{
    const uint64_t end = window_load(window->bytes + window->size - 8) >> 8 * (WINDOW_VECTOR - 1 - window->size) >> 8;
    return vcombine_u8(vcreate_u8(window_load(window->bytes)), vcreate_u8(end));
}

FEATURE_INLINE struct block_classes classes_of(const struct window *window, unsigned at, int vectors)
{
    const uint8x16x4_t low = vld1q_u8_x4(feature_class_of), high = vld1q_u8_x4(feature_class_of + 64);
    struct block_classes out;
    uint8x16_t class[4], is[4], sum[8];
    for (int v = 0; v < vectors; v++) {
        uint8x16_t byte = vdupq_n_u8(0);
        if (vectors == 4 || window->size >= WINDOW_VECTOR || window->copied)
            byte = window_vector(window, at + WINDOW_VECTOR * (unsigned)v);
        else if (v == 0)
            byte = short_vector(window);
        uint8x16_t above = vandq_u8(vcgeq_u8(byte, vdupq_n_u8(128)), vdupq_n_u8(CLASS_HIGH));
        class[v] = vorrq_u8(vqtbl4q_u8(low, byte), vqtbx4q_u8(above, high, vsubq_u8(byte, vdupq_n_u8(64))));
    }
    sum[0] = is_class(class, CLASS_DIGIT, is, vectors);
    out.digits = mask_bits(is, vectors);
    sum[1] = is_class(class, CLASS_VOWEL, is, vectors);
    out.vowels = mask_bits(is, vectors);
    sum[2] = is_class(class, CLASS_CONSONANT, is, vectors);
    out.consonants = mask_bits(is, vectors);
    sum[3] = is_class(class, CLASS_DOT, is, vectors);
    out.dots = mask_bits(is, vectors);
    sum[4] = is_class(class, CLASS_HYPHEN, is, vectors);
    sum[5] = is_class(class, CLASS_MARK, is, vectors);
    sum[6] = is_class(class, CLASS_HIGH, is, vectors);
    sum[7] = vdupq_n_u8(0);
    for (int width = 8; width > 1; width /= 2)
        for (int i = 0; i < width / 2; i++)
            sum[i] = vpaddq_u8(sum[2 * i], sum[2 * i + 1]);
    sum[0] = vpaddq_u8(sum[0], sum[0]);
    out.counts = vgetq_lane_u64(vreinterpretq_u64_s8(vnegq_s8(vreinterpretq_s8_u8(sum[0]))), 0);
    return out;
}

FEATURE_INLINE unsigned ones_of(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

FEATURE_INLINE unsigned count_of(uint64_t counts, enum feature_class class)
{
    return (unsigned)(counts >> 8 * __builtin_ctz(class) & 255);
}

/* The longest run of ones, below 16; one bit after the other of its length. */
FEATURE_INLINE unsigned longest_run(uint64_t mask)
{
    const uint64_t two = mask & mask << 1, four = two & two << 2, eight = four & four << 4;
    const uint64_t run[4] = {eight, four, two, mask};
    uint64_t ends = UINT64_MAX; /* of runs of `length` */
    unsigned length = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t longer = ends & run[i] << length;
        length += longer ? 8u >> i : 0;
        ends = longer ? longer : ends;
    }
    return length;
}

/* Ones from bit `from` to the one before `to`, of bits that start at `first`. */
FEATURE_INLINE unsigned ones_between(uint64_t mask, unsigned first, unsigned from, unsigned to)
{
    if (to <= first || from >= first + WINDOW_BLOCK)
        return 0;
    if (from > first)
        mask &= UINT64_MAX << (from - first);
    if (to < first + WINDOW_BLOCK)
        mask &= ~(UINT64_MAX << (to - first));
    return ones_of(mask);
}

/* One past the last dot before `end`; 0: there is none. */
FEATURE_INLINE unsigned dot_before(const struct block_classes *block, unsigned blocks, unsigned end)
{
    for (unsigned b = blocks; b--;) {
        const unsigned first = b * WINDOW_BLOCK, here = end > first ? end - first : 0;
        uint64_t mask = here < WINDOW_BLOCK ? block[b].dots & ~(UINT64_MAX << here) : block[b].dots;
        if (mask)
            return first + WINDOW_BLOCK - (unsigned)__builtin_clzll(mask);
    }
    return 0;
}

/* before: the consonants of the block before this one. */
FEATURE_INLINE unsigned longest_in(uint64_t before, uint64_t consonants)
{
    unsigned run = longest_run(consonants), across;
    if (!(before >> 63 && consonants & 1))
        return run;
    across = longest_run(consonants << 16 | before >> 48); /* of a run across both, as much as counts is in these */
    return across > run ? across : run;
}

/* blocks: a constant for most keys, which have one, or half of one. */
FEATURE_INLINE struct feature_counts count_blocks(const struct window *window, unsigned blocks, int vectors)
{
    struct block_classes block[WINDOW_BLOCKS];
    struct feature_counts count = {0};
    uint64_t counts = 0;
    for (unsigned b = 0; b < blocks; b++) {
        block[b] = classes_of(window, b * WINDOW_BLOCK, vectors);
        counts += block[b].counts;
        unsigned run = longest_in(b ? block[b - 1].consonants : 0, block[b].consonants);
        count.longest = run > count.longest ? run : count.longest;
    }
    count.digits = count_of(counts, CLASS_DIGIT);
    count.vowels = count_of(counts, CLASS_VOWEL);
    count.dots = count_of(counts, CLASS_DOT);
    count.hyphens = count_of(counts, CLASS_HYPHEN);
    count.marks = count_of(counts, CLASS_MARK);
    count.high = count_of(counts, CLASS_HIGH);
    count.after_dot = dot_before(block, blocks, window->size);
    const unsigned from = count.after_dot ? dot_before(block, blocks, count.after_dot - 1) : 0;
    const unsigned to = count.after_dot ? count.after_dot - 1 : window->size;
    count.label = to - from;
    for (unsigned b = 0; b < blocks; b++) {
        count.label_vowels += ones_between(block[b].vowels, b * WINDOW_BLOCK, from, to);
        count.label_digits += ones_between(block[b].digits, b * WINDOW_BLOCK, from, to);
    }
    return count;
}

static __attribute__((noinline)) void count_long(const struct window *window, struct feature_counts *out)
{
    *out = count_blocks(window, (window->size + WINDOW_BLOCK - 1) / WINDOW_BLOCK, 4);
}

FEATURE_INLINE struct feature_counts count_by_masks(const struct window *window)
{
    struct feature_counts count;
    if (window->size <= WINDOW_BLOCK / 2)
        return count_blocks(window, 1, 2);
    if (window->size <= WINDOW_BLOCK)
        return count_blocks(window, 1, 4);
    count_long(window, &count);
    return count;
}

#define FEATURE_COUNT count_by_masks
#else
#define FEATURE_COUNT count_in_turn
#endif

#endif
