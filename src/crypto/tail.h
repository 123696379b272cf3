/* SPDX-License-Identifier: MIT */
/* The bytes at the end of a key as little-endian words, with a few loads that never leave the key. */
#ifndef UF_TAIL_H
#define UF_TAIL_H

#include <stdint.h>
#include <string.h>

static inline uint64_t tail_word(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint64_t tail_half(const unsigned char *at)
{
    uint32_t half;
    memcpy(&half, at, sizeof half);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    half = __builtin_bswap32(half);
#endif
    return half;
}

/* The last `left` bytes, 0 to 7, of a key of `size` bytes; `at` is the first of them. */
static inline uint64_t tail_bytes(const unsigned char *at, size_t left, size_t size)
{
    if (!left)
        return 0;
    if (size >= 8)
        return tail_word(at + left - 8) >> 8 * (8 - left);
    if (left >= 4)
        return tail_half(at) | tail_half(at + left - 4) << 8 * (left - 4);
    return at[0] | (uint64_t)at[left / 2] << 8 * (left / 2) | (uint64_t)at[left - 1] << 8 * (left - 1);
}

#endif
