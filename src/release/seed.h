/* SPDX-License-Identifier: MIT */
/* Where the randomness of a release comes from: one seed of 32 bytes, drawn in one place, and all else from it. */
#ifndef UF_SEED_H
#define UF_SEED_H

#include "set.h"

/* The seed of a release: from the system, or from the context's own callback. */
int seed_draw(const uf_context *ctx, unsigned char seed[32]);

/* The key of one chunk of coins: BLAKE2b of the chunk's number, keyed with the seed. */
void seed_of_chunk(const unsigned char seed[32], uint64_t chunk, unsigned char key[32]);

/*
 * A fingerprint of what is released and how: the universe with all its keys, the members, the mechanism and its
 * threshold. Keyed with a secret it is a seed under which the same set released in the same way gives the same bytes,
 * and any other set, universe or threshold gives unrelated ones. As in coin_source.h, another use of the coins needs
 * another word. key NULL and key_bytes 0: not keyed.
 */
void seed_digest(const uf_set *set, const struct release_mark *how, const unsigned char *key, size_t key_bytes,
                 unsigned char out[32]);

#endif
