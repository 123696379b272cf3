/* SPDX-License-Identifier: MIT */
/*
 * Keys to 128 bits. A hasher is what turns a key into bits for one filter: XXH3-128 under the filter's own random seed,
 * a PRF under a secret (prf.h), or FNV-1 for the DCSO format. A hash_source is a run of keys in any shape (an array of
 * uf_key, keys of one width back to back, a column of bytes and offsets, hashes made earlier) that a filter drains a
 * tile at a time, so that the loops of the kinds do not know where hashes come from.
 */
#ifndef UF_HASH_H
#define UF_HASH_H

#include "key_batch.h"
#include "prf.h"

/* Stored in files: never renumber. */
enum hash_kind { HASH_XXH3 = 1, HASH_FNV1 = 2, HASH_SIPHASH = 3, HASH_AES = 4 };

/* What is public about the secret of a hasher: which key it is, and a value that only this key gives with this seed. */
struct key_stamp {
    unsigned char id[8], check[8];
};

/* What XXH3-128 of 8 bytes needs of its seed, beside constants that are cheaper to load than to build: 14 instructions
 * where it takes 28 otherwise. hash_inline.h. */
struct word_hash {
    uint64_t flip, prime, mix, avalanche;
};

/* The same for strings. secret: as XXH3_mix16B takes it. behind: -seed * XXH_PRIME64_2. string_inline.h. */
enum { STRING_LEAST = 17, STRING_MOST = 128 };

struct string_hash {
    uint64_t secret[STRING_MOST / 8], behind, seed;
};

struct hasher {
    enum hash_kind kind;
    uint64_t seed;          /* public; 0 for FNV-1 */
    struct key_stamp stamp; /* of keyed hashes, as all that follows */
    struct prf prf;
};

static inline int hash_is_keyed(enum hash_kind kind)
{
    return kind == HASH_SIPHASH || kind == HASH_AES;
}

struct hash128 hash_key(const struct hasher *hasher, uf_key key);
struct hash128 hash_seeded(uf_key key, uint64_t seed); /* XXH3 */

/* Keys whose hash a loop may compute itself: of 8 bytes with hash_word of hash_inline.h or cmac_word of cmac_inline.h,
 * of any other length with string_hash of string_inline.h; or keys of 8 bytes that are cheapest many at a time, by
 * `fill` (cmac_vaes.c).
 */
enum hash_words { WORDS_NONE, WORDS_XXH3, WORDS_CMAC, WORDS_STRINGS, WORDS_VAES };

struct hash_source {
    void (*fill)(struct hash_source *source, struct hash128 *out, size_t count); /* the next `count` hashes */
    const struct hasher *hasher;
    const void *at; /* the next key, in the shape that `fill` knows */
    size_t width;
    enum hash_words words;
    const unsigned char *bytes; /* of a column: what its offsets count in */
    enum key_shape shape;       /* of WORDS_STRINGS */
};

/* The keys of WORDS_STRINGS that are still to come. */
static inline struct key_batch source_batch(const struct hash_source *source)
{
    return (struct key_batch){source->shape, source->at, source->width, source->bytes};
}

/* The source borrows its arguments for as long as it is drained. */
struct hash_source source_of_keys(const struct hasher *hasher, const uf_key *keys);
struct hash_source source_of_fixed(const struct hasher *hasher, const void *keys, size_t width);
struct hash_source source_of_batch(const struct hasher *hasher, const struct key_batch *batch); /* in any shape */
struct hash_source source_of_hashes(const struct hash128 *hashes);

/* A hash as a key of 16 bytes: those of lo, then of hi, each little-endian. */
enum { HASH_BYTES = 16 };
void hash_bytes(struct hash128 hash, unsigned char out[HASH_BYTES]);
struct hash128 hash_of_bytes(const unsigned char bytes[HASH_BYTES]);
struct hash_source source_of_digests(const uf_digest *digests); /* hashes as such bytes */

/* Hashes of another hasher, hashed once more as such keys. */
struct hash128 hash_nested(const struct hasher *hasher, struct hash128 hash);
struct hash_source source_nested(const struct hasher *hasher, const struct hash128 *hashes);

#endif
