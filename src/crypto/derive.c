/* SPDX-License-Identifier: MIT */
#include "derive.h"

#include <string.h>

/* The calls of libsodium below fail for lengths that are out of range only; ours are constants. */

void digest_start(struct digest *digest, const unsigned char key[SECRET_BYTES], const char *label)
{
    (void)crypto_generichash_blake2b_init(&digest->state, key, key ? SECRET_BYTES : 0, 32);
    digest_add(digest, label, strlen(label) + 1);
}

void digest_add(struct digest *digest, const void *data, size_t bytes)
{
    if (bytes)
        (void)crypto_generichash_blake2b_update(&digest->state, data, bytes);
}

void digest_end(struct digest *digest, unsigned char out[32])
{
    (void)crypto_generichash_blake2b_final(&digest->state, out, 32);
    explicit_bzero(digest, sizeof *digest);
}

void derive(const unsigned char master[SECRET_BYTES], const char *label, const void *context, size_t bytes,
            unsigned char out[32])
{
    struct digest digest;
    digest_start(&digest, master, label);
    digest_add(&digest, context, bytes);
    digest_end(&digest, out);
}
