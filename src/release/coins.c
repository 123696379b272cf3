/* SPDX-License-Identifier: MIT */
#include "coins.h"

#include <string.h>

#include "arith.h"
#include "seed.h"

/* Scan: 65,536 coins take about 40 KiB of keystream. Skip: as many coins as have some 2,000 heads. Either is large
 * enough that the key of a chunk costs nothing, and small enough for looking one rank up. One gap in 3,000 or more is
 * longer than eight times the mean and is made of several: shorter ones then have fewer digits. */
enum { SCAN_BITS = 16, HEADS_BITS = 11, LONG_BITS = 3 };

/* Where a head costs as much as the coins between two heads, or less: 110 ns, and 256 times 0.5 ns. */
#define SKIP_BELOW (UINT64_C(1) << (64 - 8))

static unsigned log2_down(uint64_t value)
{
    return 63 - (unsigned)__builtin_clzll(value);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

int coins_init_way(struct coins *coins, uint64_t size, uint64_t threshold, const unsigned char seed[32],
                   enum coins_way way)
{
    *coins = (struct coins){.size = size, .threshold = threshold, .chunk_bits = SCAN_BITS, .way = way};
    memcpy(coins->seed, seed, sizeof coins->seed);
    if (way == COINS_SCAN)
        return UF_OK;
    unsigned mean_bits = 64 - log2_down(threshold); /* a gap is at most 2^mean_bits on average */
    coins->chunk_bits = least(mean_bits + HEADS_BITS, SKIP_DIGITS);
    return skip_init(&coins->skip, threshold, least(mean_bits + LONG_BITS, SKIP_DIGITS), SKIP_PRECISION);
}

int coins_init(struct coins *coins, uint64_t size, uint64_t threshold, const unsigned char seed[32])
{
    return coins_init_way(coins, size, threshold, seed, threshold < SKIP_BELOW ? COINS_SKIP : COINS_SCAN);
}

uint64_t coins_chunks(const struct coins *coins)
{
    return ceil_div(coins->size, UINT64_C(1) << coins->chunk_bits);
}

void heads_open(struct heads *heads, const struct coins *coins, uint64_t chunk)
{
    unsigned char key[32];
    heads->coins = coins;
    heads->at = chunk << coins->chunk_bits;
    heads->end = heads->at + (UINT64_C(1) << coins->chunk_bits);
    if (heads->end > coins->size)
        heads->end = coins->size;
    heads->lanes = 0;
    heads->next = LANES_STEP;
    seed_of_chunk(coins->seed, chunk, key);
    heads->status = rng_open_seeded(&heads->rng, key);
    explicit_bzero(key, sizeof key);
    sampler_start(&heads->sampler, &heads->rng);
}

static uint64_t next_lanes(struct heads *heads)
{
    if (heads->next == LANES_STEP) {
        sample_fill(&heads->sampler, heads->coins->threshold, heads->ahead, LANES_STEP); /* whatever the size is */
        heads->next = 0;
    }
    return heads->ahead[heads->next++];
}

static int next_scanned(struct heads *heads, uint64_t *rank)
{
    while (!heads->lanes) {
        if (heads->at >= heads->end)
            return 0;
        uint64_t left = heads->end - heads->at;
        heads->lanes = next_lanes(heads);
        if (left < 64)
            heads->lanes &= (UINT64_C(1) << left) - 1;
        heads->base = heads->at;
        heads->at += left < 64 ? left : 64;
    }
    *rank = heads->base + (uint64_t)__builtin_ctzll(heads->lanes);
    heads->lanes &= heads->lanes - 1;
    return 1;
}

static int next_skipped(struct heads *heads, uint64_t *rank)
{
    const uint64_t longest = UINT64_C(1) << heads->coins->skip.digits;
    uint64_t gap = 0;
    int found = 0;
    while (!found && heads->at < heads->end && heads->sampler.status == UF_OK) {
        found = skip_next(&heads->coins->skip, &heads->sampler, &gap);
        heads->at += found ? gap : longest;
    }
    if (found < 0)
        heads->status = found;
    if (found <= 0 || heads->at >= heads->end) {
        heads->at = heads->end;
        return 0;
    }
    *rank = heads->at++;
    return 1;
}

int heads_next(struct heads *heads, uint64_t *rank)
{
    if (heads->status != UF_OK || heads->sampler.status != UF_OK)
        return 0;
    return heads->coins->way == COINS_SKIP ? next_skipped(heads, rank) : next_scanned(heads, rank);
}

int heads_close(struct heads *heads)
{
    int drawn = sampler_end(&heads->sampler);
    explicit_bzero(heads->ahead, sizeof heads->ahead);
    if (heads->status == UF_ERANDOM)
        return heads->status; /* the stream never opened */
    rng_close(&heads->rng);
    return heads->status == UF_OK ? drawn : heads->status;
}
