/* SPDX-License-Identifier: MIT */
/*
 * Arrays of 64-bit words, the payload of every kind. In files and on the wire the words are little-endian;
 * in memory they are the machine's own. Bit i of an array is bit i % 64 of word i / 64.
 */
#ifndef UF_BITS_H
#define UF_BITS_H

#include <stddef.h>
#include <stdint.h>

uint64_t bits_count(const uint64_t *words, size_t count);
uint64_t bits_distance(const uint64_t *a, const uint64_t *b, size_t count); /* bits that differ */
void bits_or(uint64_t *into, const uint64_t *from, size_t count);

/* Copies words to which other threads may be adding bits: each is read whole. */
void bits_copy_shared(uint64_t *to, const uint64_t *from, size_t count);

/* Between file order and machine order; nothing to do on little-endian machines. */
void bits_swap(uint64_t *words, size_t count);

static inline int bits_need_swap(void)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

#endif
