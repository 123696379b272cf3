/* SPDX-License-Identifier: MIT */
/*
 * Many keys from one: BLAKE2b-256 of libsodium, keyed with the master key, over
 *
 *     label, a zero byte, context
 *
 * so that keys for different uses (labels) or different inputs (contexts) tell nothing about each other or about the
 * master key. A context of several fields must say where each ends; fields of fixed width do.
 */
#ifndef UF_DERIVE_H
#define UF_DERIVE_H

#include <sodium/crypto_generichash_blake2b.h>
#include <stddef.h>

enum { SECRET_BYTES = 32 };

/* The handle of the public header. */
struct uf_secret {
    unsigned char master[SECRET_BYTES];
};

void derive(const unsigned char master[SECRET_BYTES], const char *label, const void *context, size_t bytes,
            unsigned char out[32]);

/* The same in pieces, for a context that is large. With key NULL anyone can compute it: a fingerprint of public bytes.
 * digest_end wipes. */
struct digest {
    crypto_generichash_blake2b_state state;
};

void digest_start(struct digest *digest, const unsigned char key[SECRET_BYTES], const char *label);
void digest_add(struct digest *digest, const void *data, size_t bytes);
void digest_end(struct digest *digest, unsigned char out[32]);

#endif
