/* SPDX-License-Identifier: MIT */
/*
 * The one door to randomness: an AES-256-CTR stream of libcrypto. In production its key comes from getrandom and
 * any failure is UF_ERANDOM, never weaker bytes; tests and experiments open it on a seed of their own.
 * A stream belongs to one thread; it refuses to go on in a forked child, which would repeat its bytes.
 */
#ifndef UF_RNG_H
#define UF_RNG_H

#include <stdint.h>
#include <sys/types.h>

#include "ultrafilter.h"

struct rng {
    void *cipher; /* owned */
    uint64_t buffer[64];
    unsigned used; /* words of buffer that were handed out */
    pid_t owner;
};

/* The system's randomness, or the context's own callback when it has one. */
int rng_open(struct rng *rng, const uf_context *ctx);
int rng_open_seeded(struct rng *rng, const unsigned char seed[32]);
void rng_close(struct rng *rng);

int rng_bytes(struct rng *rng, void *out, size_t bytes);
int rng_u64(struct rng *rng, uint64_t *out);

/* Uniform in [0, bound), exactly: draws that would be biased are thrown away. bound > 0. */
int rng_below(struct rng *rng, uint64_t bound, uint64_t *out);

#endif
