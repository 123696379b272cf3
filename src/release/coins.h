/* SPDX-License-Identifier: MIT */
/*
 * One coin for every rank of a universe, heads with probability T / 2^64 exactly, all of them from one seed of 32
 * bytes. Coins are never stored: they are made again whenever they are looked at, a chunk of ranks at a time, and a
 * chunk's randomness depends on the seed and the chunk's number only. So a pass over all of them takes no memory, one
 * rank can be looked up, and threads may share a pass without changing what it finds.
 *
 * Two ways, chosen by T alone: a scan of 64 coins at a time (crypto/sample.h), 0.5 ns a coin, or skips from head to
 * head (skip.h), 110 to 240 ns a head.
 */
#ifndef UF_COINS_H
#define UF_COINS_H

#include "skip.h"

enum coins_way { COINS_SCAN, COINS_SKIP };

struct coins {
    uint64_t size, threshold;
    unsigned char seed[32];
    unsigned chunk_bits; /* a chunk is 2^chunk_bits ranks */
    enum coins_way way;
    struct skip skip; /* COINS_SKIP */
};

/* For ranks 0 to size - 1, size <= 2^62. */
int coins_init(struct coins *coins, uint64_t size, uint64_t threshold, const unsigned char seed[32]);

/* The same with a way that the caller chooses; for tests. */
int coins_init_way(struct coins *coins, uint64_t size, uint64_t threshold, const unsigned char seed[32],
                   enum coins_way way);

uint64_t coins_chunks(const struct coins *coins);

/* The heads of one chunk, in order. A status that is not UF_OK makes the walk end early, and heads_close returns it:
 * nothing that was walked over may be used then. */
struct heads {
    const struct coins *coins; /* borrowed */
    uint64_t at, end;          /* ranks that were not looked at */
    uint64_t base, lanes;      /* scan: what is left of 64 coins */
    unsigned next;             /* scan: words of `ahead` that were looked at */
    int status;
    struct rng rng;
    struct sampler sampler;
    uint64_t ahead[LANES_STEP];
};

void heads_open(struct heads *heads, const struct coins *coins, uint64_t chunk);
int heads_next(struct heads *heads, uint64_t *rank); /* 1, or 0 at the end */
int heads_close(struct heads *heads);

#endif
