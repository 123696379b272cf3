/* SPDX-License-Identifier: MIT */
#include "seed.h"

#include <sodium/crypto_generichash_blake2b.h>
#include <string.h>

/* The calls of libsodium below fail for lengths that are out of range only; ours are in it. */

int seed_draw(const uf_context *ctx, unsigned char seed[32])
{
    struct rng rng;
    int status = rng_open(&rng, ctx);
    if (status != UF_OK)
        return status;
    status = rng_bytes(&rng, seed, 32);
    rng_close(&rng);
    return status;
}

static void little_endian(uint64_t value, unsigned char out[8])
{
    for (unsigned i = 0; i < 8; i++)
        out[i] = (unsigned char)(value >> 8 * i);
}

void seed_of_chunk(const unsigned char seed[32], uint64_t chunk, unsigned char key[32])
{
    unsigned char number[8];
    little_endian(chunk, number);
    (void)crypto_generichash_blake2b(key, 32, number, sizeof number, seed, 32);
}

/* ---- the fingerprint of a release ---- */

struct hashing {
    crypto_generichash_blake2b_state state;
};

static void add_bytes(struct hashing *hashing, const void *data, size_t bytes)
{
    if (bytes)
        (void)crypto_generichash_blake2b_update(&hashing->state, data, bytes);
}

static void add_number(struct hashing *hashing, uint64_t value)
{
    unsigned char number[8];
    little_endian(value, number);
    add_bytes(hashing, number, sizeof number);
}

/* Every text and key behind its length, so that no two universes give the same bytes. */
static void add_key(struct hashing *hashing, uf_key key)
{
    add_number(hashing, key.size);
    add_bytes(hashing, key.data, key.size);
}

static void add_universe(struct hashing *hashing, const uf_universe *universe)
{
    add_key(hashing, (uf_key){universe->text, strlen(universe->text)});
    add_number(hashing, universe->size);
    for (uint64_t i = 0; universe->shape == UNIVERSE_LIST && i < universe->size; i++)
        add_key(hashing, listed_key(universe, i));
}

void seed_digest(const uf_set *set, const struct release_mark *how, const unsigned char *key, size_t key_bytes,
                 unsigned char out[32])
{
    struct hashing hashing;
    size_t count;
    const uint64_t *member = set_members(set, &count);
    (void)crypto_generichash_blake2b_init(&hashing.state, key, key_bytes, 32);
    add_key(&hashing, (uf_key){"ultrafilter release 2", 21}); /* 1: coins that were scanned each by itself */
    add_universe(&hashing, set->universe);
    add_number(&hashing, how->mechanism);
    add_number(&hashing, how->threshold);
    add_number(&hashing, count);
    for (size_t i = 0; i < count; i++)
        add_number(&hashing, member[i]);
    (void)crypto_generichash_blake2b_final(&hashing.state, out, 32);
    explicit_bzero(&hashing, sizeof hashing);
}
