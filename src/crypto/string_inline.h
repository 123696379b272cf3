/* SPDX-License-Identifier: MIT */
/*
 * XXH3-128 of strings, for loops over many: what depends on the seed alone is computed once, and what depends on the
 * length once where all have the same. Of a key of 50 bytes that is 8 additions and 2 of 14 multiplications, which are
 * what a Neoverse-N1 waits for: one every three or four cycles. Keys of 9 to 128 bytes are hashed without a call.
 */
#ifndef UF_STRING_INLINE_H
#define UF_STRING_INLINE_H

#include "hash_inline.h"

#define STRING_INLINE static inline __attribute__((always_inline))

enum { STRING_FEW = 4 }; /* fewer are not worth string_hash_start */

STRING_INLINE void string_hash_start(struct string_hash *out, uint64_t seed)
{
    for (size_t i = 0; i < STRING_MOST / 8; i++) {
        uint64_t word = XXH_readLE64(XXH3_kSecret + 8 * i);
        out->secret[i] = i % 2 ? word - seed : word + seed;
    }
    out->behind = 0 - seed * XXH_PRIME64_2;
    out->seed = seed;
}

/* 16 bytes at `data` into a sum, and the other 16 beside them. */
STRING_INLINE uint64_t string_mix(uint64_t sum, const unsigned char *data, const unsigned char *beside,
                                  const uint64_t secret[2])
{
    sum += XXH3_mul128_fold64(XXH_readLE64(data) ^ secret[0], XXH_readLE64(data + 8) ^ secret[1]);
    return sum ^ (XXH_readLE64(beside) + XXH_readLE64(beside + 8));
}

STRING_INLINE void string_mix_both(uint64_t sum[2], const unsigned char *one, const unsigned char *other,
                                   const uint64_t secret[4])
{
    sum[0] = string_mix(sum[0], one, other, secret);
    sum[1] = string_mix(sum[1], other, one, secret + 2);
}

/* XXH3_len_17to128_128b. */
STRING_INLINE struct hash128 string_hash_long(const struct string_hash *with, const unsigned char *data, size_t size)
{
    const unsigned char *end = data + size;
    uint64_t sum[2] = {size * XXH_PRIME64_1, 0};
    if (size > 96)
        string_mix_both(sum, data + 48, end - 64, with->secret + 12);
    if (size > 64)
        string_mix_both(sum, data + 32, end - 48, with->secret + 8);
    if (size > 32)
        string_mix_both(sum, data + 16, end - 32, with->secret + 4);
    string_mix_both(sum, data, end - 16, with->secret);
    uint64_t lo = sum[0] + sum[1];
    uint64_t hi = sum[0] * XXH_PRIME64_1 + (sum[1] * XXH_PRIME64_4 + (size * XXH_PRIME64_2 + with->behind));
    __asm__("" : "+r"(lo), "+r"(hi)); /* as in word_hash */
    return (struct hash128){XXH3_avalanche(lo), 0 - XXH3_avalanche(hi)};
}

STRING_INLINE struct hash128 string_hash(const struct string_hash *with, uf_key key)
{
    if (key.size - STRING_LEAST <= STRING_MOST - STRING_LEAST)
        return string_hash_long(with, key.data, key.size);
    if (key.size - 9 < 8) {
        XXH128_hash_t h = XXH3_len_9to16_128b(key.data, key.size, XXH3_kSecret, with->seed);
        return (struct hash128){h.low64, h.high64};
    }
    return key.size == 8 ? hash_word(key.data, with->seed) : hash_seeded(key, with->seed);
}

#endif
