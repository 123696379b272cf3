/* SPDX-License-Identifier: MIT */
/* The hash functions themselves, for the few loops that are worth a copy of them. */
#ifndef UF_HASH_INLINE_H
#define UF_HASH_INLINE_H

#include "hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static inline struct hash128 hash_xxh3(const void *data, size_t size, uint64_t seed)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(data, size, seed);
    return (struct hash128){h.low64, h.high64};
}

/* A key of 8 bytes: the constant length leaves a dozen instructions. */
static inline struct hash128 hash_word(const void *data, uint64_t seed)
{
    return hash_xxh3(data, 8, seed);
}

static inline void word_hash_start(struct word_hash *out, uint64_t seed)
{
    seed ^= (uint64_t)__builtin_bswap32((uint32_t)seed) << 32;
    *out = (struct word_hash){UINT64_C(0xc4f023344dc994ac) + seed, UINT64_C(0x9e3779b185ebca87) + (8 << 2),
                              UINT64_C(0x9fb21c651e98df25), UINT64_C(0x165667919e3779f9)};
}

/* The same hash, for queries one by one. */
static inline struct hash128 word_hash(const struct word_hash *with, const void *data)
{
    XXH128_hash_t product = XXH_mult64to128(XXH_readLE64(data) ^ with->flip, with->prime);
    uint64_t lo = product.low64, hi = product.high64 + (lo << 1);
    lo ^= hi >> 3;
    lo = (lo ^ lo >> 35) * with->mix;
    hi = (hi ^ hi >> 37) * with->avalanche;
    __asm__("" : "+r"(lo)); /* or gcc 12 finishes both halves in one vector, and comes back by way of the stack */
    return (struct hash128){lo ^ lo >> 28, hi ^ hi >> 32};
}

/* FNV-1, 64 bits: what DCSO's tool starts from. Only `lo` is used. */
static inline struct hash128 hash_fnv1(const void *data, size_t size)
{
    const unsigned char *byte = data;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        h = h * UINT64_C(0x100000001b3) ^ byte[i];
    return (struct hash128){h, 0};
}

/* With a PRF. */
static inline struct hash128 hash_keyed(const struct hasher *hasher, uf_key key)
{
    return hasher->prf.calls->one(&hasher->prf.key, key);
}

static inline struct hash128 hash_any(const struct hasher *hasher, uf_key key)
{
    if (key.size == 8 && hasher->kind == HASH_XXH3) /* the general function costs a call and a choice of lengths more */
        return hash_word(key.data, hasher->seed);
    if (hasher->kind == HASH_XXH3)
        return hash_xxh3(key.data, key.size, hasher->seed);
    if (hasher->kind == HASH_FNV1)
        return hash_fnv1(key.data, key.size);
    return hash_keyed(hasher, key);
}

#endif
