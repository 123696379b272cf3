/* SPDX-License-Identifier: MIT */
#include "string_inline.h"

#include <string.h>

#include "bits.h"
#include "cpu.h"
#include "hash_strings.h"

struct hash128 hash_key(const struct hasher *hasher, uf_key key)
{
    return hash_any(hasher, key);
}

struct hash128 hash_seeded(uf_key key, uint64_t seed)
{
    return hash_xxh3(key.data, key.size, seed);
}

strings_way *strings_find(void)
{
    return cpu_choose(UF_CPU_AVX512) == UF_CPU_AVX512 ? strings_with_avx512() : NULL;
}

/* Strings, in any shape, on a machine that hashes many of them at a time: 1 when it is done. */
static int fill_many(struct hash_source *source, struct hash128 *out, size_t count)
{
    enum { CAPACITY = 64 };
    const struct key_batch batch = source_batch(source);
    strings_way *hash = source->words == WORDS_NONE && source->hasher->kind == HASH_XXH3 ? strings_find() : NULL;
    uf_key keys[CAPACITY];
    if (!hash)
        return 0;
    if (batch.shape == KEYS_ARRAY)
        hash(source->hasher, batch.at, count, 0, out);
    for (size_t done = 0, step; done < count && batch.shape != KEYS_ARRAY; done += step) {
        step = count - done < CAPACITY ? count - done : CAPACITY;
        batch_copy(&batch, done, step, keys);
        hash(source->hasher, keys, step, 1, out + done);
    }
    source->at = batch_after(&batch, count).at;
    return 1;
}

/* FNV-1, of keys in any shape. */
static void fill_fnv1(struct hash_source *source, struct hash128 *out, size_t count)
{
    struct key_batch keys = source_batch(source);
    for (size_t i = 0; i < count; i++) {
        uf_key key = batch_key(&keys, i);
        out[i] = hash_fnv1(key.data, key.size);
    }
    source->at = batch_after(&keys, count).at;
}

static void fill_words(struct hash_source *source, struct hash128 *out, size_t count)
{
    const unsigned char *key = source->at;
    uint64_t seed = source->hasher->seed;
    for (size_t i = 0; i < count; i++)
        out[i] = hash_word(key + 8 * i, seed);
    source->at = key + 8 * count;
}

/* XXH3, with a shape that is a constant at every call. */
static inline __attribute__((always_inline)) void hash_strings(struct hash_source *source, struct hash128 *out,
                                                               size_t count, enum key_shape shape, size_t width)
{
    const struct key_batch keys = {shape, source->at, width, source->bytes};
    struct string_hash with;
    if (count < STRING_FEW)
        for (size_t i = 0; i < count; i++)
            out[i] = hash_any(source->hasher, batch_key(&keys, i));
    else {
        string_hash_start(&with, source->hasher->seed);
        for (size_t i = 0; i < count; i++)
            out[i] = string_hash(&with, batch_key(&keys, i));
    }
    source->at = batch_after(&keys, count).at;
}

static void fill_keys(struct hash_source *source, struct hash128 *out, size_t count)
{
    if (!fill_many(source, out, count))
        hash_strings(source, out, count, KEYS_ARRAY, 0);
}

static void fill_fixed(struct hash_source *source, struct hash128 *out, size_t count)
{
    if (!fill_many(source, out, count))
        hash_strings(source, out, count, KEYS_FIXED, source->width);
}

static void fill_offsets(struct hash_source *source, struct hash128 *out, size_t count)
{
    if (fill_many(source, out, count))
        return;
    if (source->width == 4)
        hash_strings(source, out, count, KEYS_OFFSETS, 4);
    else
        hash_strings(source, out, count, KEYS_OFFSETS, 8);
}

static void fill_keys_keyed(struct hash_source *source, struct hash128 *out, size_t count)
{
    const struct prf *prf = &source->hasher->prf;
    const uf_key *keys = source->at;
    prf->calls->keys(&prf->key, keys, count, out);
    source->at = keys + count;
}

static void fill_fixed_keyed(struct hash_source *source, struct hash128 *out, size_t count)
{
    const struct prf *prf = &source->hasher->prf;
    const unsigned char *key = source->at;
    prf->calls->fixed(&prf->key, key, source->width, count, out);
    source->at = key + count * source->width;
}

/* A PRF has several keys in flight, so it gets some at a time. */
static void fill_offsets_keyed(struct hash_source *source, struct hash128 *out, size_t count)
{
    enum { CAPACITY = 64 };
    const struct prf *prf = &source->hasher->prf;
    const struct key_batch batch = {KEYS_OFFSETS, source->at, source->width, source->bytes};
    uf_key keys[CAPACITY];
    for (size_t done = 0, step; done < count; done += step) {
        step = count - done < CAPACITY ? count - done : CAPACITY;
        batch_copy(&batch, done, step, keys);
        prf->calls->keys(&prf->key, keys, step, out + done);
    }
    source->at = batch_after(&batch, count).at;
}

static void fill_ready(struct hash_source *source, struct hash128 *out, size_t count)
{
    const struct hash128 *ready = source->at;
    memcpy(out, ready, count * sizeof *out);
    source->at = ready + count;
}

/* How keys of a shape are hashed: the fills with XXH3 and with a PRF. */
typedef void source_fill(struct hash_source *source, struct hash128 *out, size_t count);

static source_fill *fill_of(const struct hasher *hasher, source_fill *plain, source_fill *keyed)
{
    return hash_is_keyed(hasher->kind) ? keyed : hasher->kind == HASH_FNV1 ? fill_fnv1 : plain;
}

static enum hash_words strings_of(const struct hasher *hasher)
{
    return hasher->kind == HASH_XXH3 && !strings_find() ? WORDS_STRINGS : WORDS_NONE;
}

struct hash_source source_of_keys(const struct hasher *hasher, const uf_key *keys)
{
    return (struct hash_source){.fill = fill_of(hasher, fill_keys, fill_keys_keyed),
                                .hasher = hasher,
                                .at = keys,
                                .words = strings_of(hasher),
                                .shape = KEYS_ARRAY};
}

static enum hash_words words_of(const struct hasher *hasher)
{
    if (hasher->kind == HASH_XXH3)
        return WORDS_XXH3;
    if (hasher->kind != HASH_AES)
        return WORDS_NONE;
    return hasher->prf.calls == cmac_with_aes()    ? WORDS_CMAC
           : hasher->prf.calls == cmac_with_vaes() ? WORDS_VAES
                                                   : WORDS_NONE;
}

struct hash_source source_of_fixed(const struct hasher *hasher, const void *keys, size_t width)
{
    return (struct hash_source){.fill = fill_of(hasher, width == 8 ? fill_words : fill_fixed, fill_fixed_keyed),
                                .hasher = hasher,
                                .at = keys,
                                .width = width,
                                .words = width == 8 ? words_of(hasher) : strings_of(hasher),
                                .shape = KEYS_FIXED};
}

static struct hash_source source_of_offsets(const struct hasher *hasher, const struct key_batch *batch)
{
    return (struct hash_source){.fill = fill_of(hasher, fill_offsets, fill_offsets_keyed),
                                .hasher = hasher,
                                .at = batch->at,
                                .width = batch->width,
                                .words = strings_of(hasher),
                                .bytes = batch->bytes,
                                .shape = KEYS_OFFSETS};
}

struct hash_source source_of_batch(const struct hasher *hasher, const struct key_batch *batch)
{
    switch (batch->shape) {
    case KEYS_FIXED:
        return source_of_fixed(hasher, batch->at, batch->width);
    case KEYS_OFFSETS:
        return source_of_offsets(hasher, batch);
    default:
        return source_of_keys(hasher, batch->at);
    }
}

struct hash_source source_of_hashes(const struct hash128 *hashes)
{
    return (struct hash_source){.fill = fill_ready, .at = hashes};
}

/* ---- hashes of hashes ---- */

void hash_bytes(struct hash128 hash, unsigned char out[HASH_BYTES])
{
    uint64_t words[2] = {hash.lo, hash.hi};
    bits_swap(words, 2);
    memcpy(out, words, HASH_BYTES);
}

struct hash128 hash_of_bytes(const unsigned char bytes[HASH_BYTES])
{
    uint64_t words[2];
    memcpy(words, bytes, HASH_BYTES);
    bits_swap(words, 2);
    return (struct hash128){words[0], words[1]};
}

static void fill_digests(struct hash_source *source, struct hash128 *out, size_t count)
{
    const uf_digest *digests = source->at;
    for (size_t i = 0; i < count; i++)
        out[i] = hash_of_bytes(digests[i].bytes);
    source->at = digests + count;
}

struct hash_source source_of_digests(const uf_digest *digests)
{
    return (struct hash_source){.fill = fill_digests, .at = digests};
}

struct hash128 hash_nested(const struct hasher *hasher, struct hash128 hash)
{
    unsigned char bytes[HASH_BYTES];
    hash_bytes(hash, bytes);
    return hash_any(hasher, (uf_key){bytes, HASH_BYTES});
}

static void fill_nested(struct hash_source *source, struct hash128 *out, size_t count)
{
    enum { CAPACITY = 64 };
    unsigned char bytes[CAPACITY][HASH_BYTES];
    const struct hash128 *ready = source->at;
    for (size_t done = 0, step; done < count; done += step) {
        struct hash_source inner = source_of_fixed(source->hasher, bytes, HASH_BYTES);
        step = count - done < CAPACITY ? count - done : CAPACITY;
        for (size_t i = 0; i < step; i++)
            hash_bytes(ready[done + i], bytes[i]);
        inner.fill(&inner, out + done, step);
    }
    source->at = ready + count;
}

struct hash_source source_nested(const struct hasher *hasher, const struct hash128 *hashes)
{
    return (struct hash_source){.fill = fill_nested, .hasher = hasher, .at = hashes};
}
