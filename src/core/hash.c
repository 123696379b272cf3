/* SPDX-License-Identifier: MIT */
#include "hash.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static inline struct hash128 xxh3(const void *data, size_t size, uint64_t seed)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(data, size, seed);
    return (struct hash128){h.low64, h.high64};
}

/* FNV-1, 64 bits: what DCSO's tool starts from. Only `lo` is used. */
static inline struct hash128 fnv1(const void *data, size_t size)
{
    const unsigned char *byte = data;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        h = h * UINT64_C(0x100000001b3) ^ byte[i];
    return (struct hash128){h, 0};
}

struct hash128 hash_key(const struct hasher *hasher, uf_key key)
{
    return hasher->kind == HASH_FNV1 ? fnv1(key.data, key.size) : xxh3(key.data, key.size, hasher->seed);
}

static void fill_keys(struct hash_source *source, struct hash128 *out, size_t count)
{
    const uf_key *keys = source->at;
    uint64_t seed = source->hasher->seed;
    if (source->hasher->kind == HASH_FNV1)
        for (size_t i = 0; i < count; i++)
            out[i] = fnv1(keys[i].data, keys[i].size);
    else
        for (size_t i = 0; i < count; i++)
            out[i] = xxh3(keys[i].data, keys[i].size, seed);
    source->at = keys + count;
}

static void fill_fixed(struct hash_source *source, struct hash128 *out, size_t count)
{
    const unsigned char *key = source->at;
    for (size_t i = 0; i < count; i++, key += source->width)
        out[i] = hash_key(source->hasher, (uf_key){key, source->width});
    source->at = key;
}

/* The same for XXH3 and the width most numbers have: a constant length lets the compiler drop the choices. */
static void fill_words(struct hash_source *source, struct hash128 *out, size_t count)
{
    const unsigned char *key = source->at;
    uint64_t seed = source->hasher->seed;
    for (size_t i = 0; i < count; i++, key += 8)
        out[i] = xxh3(key, 8, seed);
    source->at = key;
}

static void fill_ready(struct hash_source *source, struct hash128 *out, size_t count)
{
    const struct hash128 *ready = source->at;
    memcpy(out, ready, count * sizeof *out);
    source->at = ready + count;
}

struct hash_source source_of_keys(const struct hasher *hasher, const uf_key *keys)
{
    return (struct hash_source){fill_keys, hasher, keys, 0};
}

struct hash_source source_of_fixed(const struct hasher *hasher, const void *keys, size_t width)
{
    int words = width == 8 && hasher->kind == HASH_XXH3;
    return (struct hash_source){words ? fill_words : fill_fixed, hasher, keys, width};
}

struct hash_source source_of_hashes(const struct hash128 *hashes)
{
    return (struct hash_source){fill_ready, NULL, hashes, 0};
}

uint64_t checksum(const void *data, size_t bytes, uint64_t salt)
{
    return XXH3_64bits_withSeed(data, bytes, salt);
}
