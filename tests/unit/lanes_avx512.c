/* SPDX-License-Identifier: MIT */
#include "lanes.h"

#ifdef __AVX512F__
#include "hash_avx512.h"

int lanes_hash(const uint64_t words[8], uint64_t seed, struct hash128 out[8])
{
    struct word_hash8 with = word_hash8_start(seed);
    struct hashes8 hash = word_hash8(&with, load8(words, 8));
    store_pairs8(out, hash.lo, hash.hi);
    struct hashes8 again = load_hashes8(out);
    store_pairs8(out, again.lo, again.hi);
    return 1;
}

int lanes_mul_high(const uint64_t words[8], uint64_t factor, int half, uint64_t out[8])
{
    struct factor8 by = factor8_of(factor);
    __m512i x = load8(words, 8);
    _mm512_storeu_si512(out, half ? mul_high8_half(x, by.lo) : mul_high8(x, &by));
    return 1;
}

int lanes_load(const void *at, unsigned left, uint64_t out[8])
{
    _mm512_storeu_si512(out, load8(at, left));
    return 1;
}

#else

int lanes_hash(const uint64_t words[8], uint64_t seed, struct hash128 out[8])
{
    (void)words, (void)seed, (void)out;
    return 0;
}

int lanes_mul_high(const uint64_t words[8], uint64_t factor, int half, uint64_t out[8])
{
    (void)words, (void)factor, (void)half, (void)out;
    return 0;
}

int lanes_load(const void *at, unsigned left, uint64_t out[8])
{
    (void)at, (void)left, (void)out;
    return 0;
}

#endif
