/* SPDX-License-Identifier: MIT */
#include "rng.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

int rng_system(void *out, size_t bytes)
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
    ctr_start(&rng->stream, seed);
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
        status = rng_system(seed, sizeof seed);
    if (status == UF_OK)
        status = rng_open_seeded(rng, seed);
    explicit_bzero(seed, sizeof seed);
    return status;
}

void rng_close(struct rng *rng)
{
    explicit_bzero(rng, sizeof *rng);
}

int rng_bytes(struct rng *rng, void *out, size_t bytes)
{
    if (rng->owner != getpid())
        return UF_ERANDOM;
    ctr_bytes(&rng->stream, out, bytes);
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
