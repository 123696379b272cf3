/* SPDX-License-Identifier: MIT */
#include "bits.h"

uint64_t bits_count(const uint64_t *words, size_t count)
{
    uint64_t ones = 0;
    for (size_t i = 0; i < count; i++)
        ones += (uint64_t)__builtin_popcountll(words[i]);
    return ones;
}

uint64_t bits_distance(const uint64_t *a, const uint64_t *b, size_t count)
{
    uint64_t different = 0;
    for (size_t i = 0; i < count; i++)
        different += (uint64_t)__builtin_popcountll(a[i] ^ b[i]);
    return different;
}

void bits_or(uint64_t *into, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        into[i] |= from[i];
}

void bits_copy_shared(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

void bits_swap(uint64_t *words, size_t count)
{
    if (bits_need_swap())
        for (size_t i = 0; i < count; i++)
            words[i] = __builtin_bswap64(words[i]);
}
