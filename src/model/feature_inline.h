/* SPDX-License-Identifier: MIT */
/*
 * The features of a key, one after the other, for loops that use each at once. One pass over the bytes: the last eight
 * are in one word, the counts of all classes in another, and nothing branches on what a letter is.
 */
#ifndef UF_FEATURE_INLINE_H
#define UF_FEATURE_INLINE_H

#include "feature.h"

#define FEATURE_INLINE static inline __attribute__((always_inline))

/* Takes one index. A constant where features_each is called, so that it becomes part of the loop. */
typedef void feature_sink(void *arg, uint32_t index);

/* Counts of classes, eight bits each: a window is shorter than 256. */
enum feature_class {
    CLASS_OTHER = 0,
    CLASS_DIGIT = 8,
    CLASS_VOWEL = 16,
    CLASS_CONSONANT = 24,
    CLASS_DOT = 32,
    CLASS_HYPHEN = 40,
    CLASS_MARK = 48,
    CLASS_HIGH = 56
};

extern const unsigned char feature_class_of[256];

/* What has been seen of a key. */
struct window {
    uint64_t tail;      /* its last eight bytes, the last one on top */
    uint64_t counts;    /* of classes */
    uint64_t at_dot[2]; /* counts at the last dot and at the one before */
    uint32_t run, longest;
};

FEATURE_INLINE void put_grams(uint64_t tail, unsigned shift, feature_sink *sink, void *arg)
{
    sink(arg, (uint32_t)((tail >> 40) * UINT64_C(0xd6e8feb86659fd93) >> shift));
    sink(arg, (uint32_t)((tail >> 32) * UINT64_C(0xa0761d6478bd642f) >> shift));
}

FEATURE_INLINE void window_push(struct window *window, unsigned char byte)
{
    unsigned class = feature_class_of[byte];
    uint32_t consonant = class == CLASS_CONSONANT, dot = 0 - (uint32_t)(class == CLASS_DOT);
    window->tail = window->tail >> 8 | (uint64_t)byte << 56;
    window->counts += UINT64_C(1) << class;
    window->run = (window->run + 1) & (0 - consonant);
    window->longest = window->run > window->longest ? window->run : window->longest;
    window->at_dot[1] = dot ? window->at_dot[0] : window->at_dot[1];
    window->at_dot[0] = dot ? window->counts : window->at_dot[0];
}

FEATURE_INLINE void look_along(struct window *window, const unsigned char *bytes, size_t count, unsigned shift,
                               feature_sink *sink, void *arg)
{
    for (size_t i = 0; i < count; i++) {
        window_push(window, bytes[i]);
        put_grams(window->tail, shift, sink, arg);
    }
}

FEATURE_INLINE unsigned count_of(uint64_t counts, enum feature_class class)
{
    return (unsigned)(counts >> class & 255);
}

/* Every byte is in one class. */
FEATURE_INLINE unsigned count_all(uint64_t counts)
{
    return (unsigned)(counts * UINT64_C(0x0101010101010101) >> 56);
}

FEATURE_INLINE unsigned at_most(unsigned value, unsigned most)
{
    return value < most ? value : most;
}

/* A hash of what follows the last dot. */
FEATURE_INLINE uint64_t ending_of(const struct window *window, unsigned seen, unsigned after)
{
    unsigned size = seen - after;
    if (!after || !size || size > 8)
        size = at_most(seen, 3);
    return size ? (window->tail >> (64 - 8 * size)) * UINT64_C(0x9e3779b97f4a7c15) >> 28 : 0;
}

/* Exact below 64, then by powers of two. */
FEATURE_INLINE unsigned length_step(size_t size)
{
    return size < 64 ? (unsigned)size : 64 + (63 - (unsigned)__builtin_clzll((unsigned long long)size));
}

FEATURE_INLINE uint32_t token(uint64_t tag, uint64_t value, unsigned shift)
{
    return (uint32_t)((tag * UINT64_C(0xe7037ed1a0b428db) + value) * UINT64_C(0x8cb92ba72f3d8dd7) >> shift);
}

FEATURE_INLINE void put_tokens(const struct window *window, size_t size, unsigned shift, feature_sink *sink, void *arg)
{
    const unsigned seen = count_all(window->counts), after = count_all(window->at_dot[0]);
    const uint64_t label_counts = after ? window->at_dot[0] - window->at_dot[1] : window->counts;
    const unsigned label = at_most(after ? after - 1 - count_all(window->at_dot[1]) : seen, 30);
    const unsigned digits = count_of(window->counts, CLASS_DIGIT), hyphens = count_of(window->counts, CLASS_HYPHEN);
    const unsigned dots = count_of(window->counts, CLASS_DOT), length = length_step(size);
    const unsigned vowels = count_of(window->counts, CLASS_VOWEL);
    const unsigned has = (digits ? 2u : 0u) | (hyphens ? 1u : 0u);
    const unsigned inside =
        at_most(count_of(label_counts, CLASS_VOWEL), 15) << 8 | at_most(count_of(label_counts, CLASS_DIGIT), 7);
    const uint64_t ending = ending_of(window, seen, after) << 8;
    sink(arg, token(1, length, shift));
    sink(arg, token(2, at_most(digits, 20), shift));
    sink(arg, token(3, at_most(hyphens, 10), shift));
    sink(arg, token(4, at_most(dots, 15), shift));
    sink(arg, token(5, at_most(count_of(window->counts, CLASS_MARK), 15), shift));
    sink(arg, token(6, at_most(count_of(window->counts, CLASS_HIGH), 15), shift));
    sink(arg, token(7, vowels * 16 / (seen + 1), shift));
    sink(arg, token(8, at_most(window->longest, 12), shift));
    sink(arg, token(9, ending, shift));
    sink(arg, token(10, at_most(dots, 15) << 16 | has << 8 | seen / 3, shift));
    sink(arg, token(11, ending | at_most(hyphens, 3) << 3 | at_most(digits, 4), shift));
    sink(arg, token(12, ending | length, shift));
    sink(arg, token(13, ending | at_most(dots, 7), shift));
    sink(arg, token(14, label << 16 | inside, shift));
    sink(arg, token(15, ending | label, shift));
}

/* All features_count of them. shift is 64 - log_weights. */
FEATURE_INLINE void features_each(uf_key key, unsigned shift, feature_sink *sink, void *arg)
{
    const size_t half = FEATURES_WINDOW / 2, first = key.size <= FEATURES_WINDOW ? key.size : half;
    const unsigned char *bytes = key.data;
    struct window window = {.tail = UINT64_C(2) << 56};
    if (first) {
        window_push(&window, bytes[0]);
        look_along(&window, bytes + 1, first - 1, shift, sink, arg);
        if (key.size > FEATURES_WINDOW)
            look_along(&window, bytes + key.size - half, half, shift, sink, arg);
        put_grams(window.tail >> 8 | UINT64_C(3) << 56, shift, sink, arg);
    }
    put_tokens(&window, key.size, shift, sink, arg);
}

#endif
