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

/* FNV-1, 64 bits: what DCSO's tool starts from. Only `lo` is used. */
static inline struct hash128 hash_fnv1(const void *data, size_t size)
{
    const unsigned char *byte = data;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        h = h * UINT64_C(0x100000001b3) ^ byte[i];
    return (struct hash128){h, 0};
}

static inline struct hash128 hash_any(const struct hasher *hasher, uf_key key)
{
    if (key.size == 8 && hasher->kind == HASH_XXH3) /* the general function costs a call and a choice of lengths more */
        return hash_word(key.data, hasher->seed);
    if (hasher->kind == HASH_XXH3)
        return hash_xxh3(key.data, key.size, hasher->seed);
    if (hasher->kind == HASH_FNV1)
        return hash_fnv1(key.data, key.size);
    return hasher->prf.calls->one(&hasher->prf.key, key);
}

#endif
