/* SPDX-License-Identifier: MIT */
#include "rng.h"

#include <errno.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static int system_random(void *out, size_t bytes)
{
    unsigned char *at = out;
    while (bytes) {
        ssize_t got = getrandom(at, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return UF_ERANDOM;
        at += got;
        bytes -= (size_t)got;
    }
    return UF_OK;
}

int rng_open_seeded(struct rng *rng, const unsigned char seed[32])
{
    static const unsigned char start[16];
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    if (!cipher || EVP_EncryptInit_ex(cipher, EVP_aes_256_ctr(), NULL, seed, start) != 1) {
        EVP_CIPHER_CTX_free(cipher);
        return UF_ERANDOM;
    }
    rng->cipher = cipher;
    rng->used = sizeof rng->buffer / sizeof rng->buffer[0];
    rng->owner = getpid();
    return UF_OK;
}

int rng_open(struct rng *rng, const uf_context *ctx)
{
    unsigned char seed[32];
    int status;
    if (ctx && ctx->random)
        status = ctx->random(ctx->random_arg, seed, sizeof seed) ? UF_ERANDOM : UF_OK;
    else
        status = system_random(seed, sizeof seed);
    if (status == UF_OK)
        status = rng_open_seeded(rng, seed);
    explicit_bzero(seed, sizeof seed);
    return status;
}

void rng_close(struct rng *rng)
{
    EVP_CIPHER_CTX_free(rng->cipher); /* clears the key */
    explicit_bzero(rng, sizeof *rng);
}

int rng_bytes(struct rng *rng, void *out, size_t bytes)
{
    static const unsigned char zeros[4096];
    unsigned char *at = out;
    if (rng->owner != getpid())
        return UF_ERANDOM;
    while (bytes) {
        int step = bytes < sizeof zeros ? (int)bytes : (int)sizeof zeros;
        int made = 0;
        if (EVP_EncryptUpdate(rng->cipher, at, &made, zeros, step) != 1 || made != step)
            return UF_ERANDOM;
        at += step;
        bytes -= (size_t)step;
    }
    return UF_OK;
}

int rng_u64(struct rng *rng, uint64_t *out)
{
    if (rng->used == sizeof rng->buffer / sizeof rng->buffer[0]) {
        int status = rng_bytes(rng, rng->buffer, sizeof rng->buffer);
        if (status != UF_OK)
            return status;
        rng->used = 0;
    } else if (rng->owner != getpid()) {
        return UF_ERANDOM;
    }
    /* The stream is bytes: read them little-endian, so that a seed means the same everywhere. */
    unsigned char *bytes = (unsigned char *)&rng->buffer[rng->used++];
    *out = 0;
    for (unsigned i = 0; i < 8; i++)
        *out |= (uint64_t)bytes[i] << 8 * i;
    explicit_bzero(bytes, 8);
    return UF_OK;
}

int rng_below(struct rng *rng, uint64_t bound, uint64_t *out)
{
    uint64_t reject = (0 - bound) % bound; /* 2^64 mod bound */
    int status;
    do
        status = rng_u64(rng, out);
    while (status == UF_OK && *out < reject);
    *out = status == UF_OK ? *out % bound : 0;
    return status;
}
