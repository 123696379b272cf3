/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include <string.h>

enum { WORDS = sizeof((struct sampler *)0)->word / sizeof(uint64_t) };

void sampler_start(struct sampler *sampler, struct rng *rng)
{
    sampler->rng = rng;
    sampler->next = WORDS;
    sampler->status = UF_OK;
}

int sampler_end(struct sampler *sampler)
{
    explicit_bzero(sampler->word, sizeof sampler->word);
    sampler->next = WORDS;
    return sampler->status;
}

static void refill(struct sampler *sampler)
{
    int status = rng_bytes(sampler->rng, sampler->word, sizeof sampler->word);
    if (status != UF_OK && sampler->status == UF_OK)
        sampler->status = status;
    for (unsigned i = 0; i < WORDS && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; i++)
        sampler->word[i] =
            __builtin_bswap64(sampler->word[i]); /* the stream is bytes: a seed means the same everywhere */
    sampler->next = 0;
}

uint64_t sample_u64(struct sampler *sampler)
{
    if (sampler->next == WORDS)
        refill(sampler);
    return sampler->word[sampler->next++];
}

/*
 * Bit-sliced comparison of 64 numbers with T, highest bit first. A random word is one bit of all 64 numbers: where it
 * differs from T's bit, the lane is decided. Half of the lanes are decided at each step, 7.3 words on average; the
 * chance that 64 are not enough is 2^-58 and such lanes equal T, which is not below it.
 */
uint64_t sample_lanes(struct sampler *sampler, uint64_t threshold)
{
    uint64_t open = UINT64_MAX, below = 0;
    for (int bit = 63; bit >= 0 && open; bit--) {
        uint64_t random = sample_u64(sampler);
        if (threshold >> bit & 1) {
            below |= open & ~random;
            open &= random;
        } else {
            open &= ~random;
        }
    }
    return below;
}

int sample_coin(struct sampler *sampler, uint64_t threshold)
{
    return sample_u64(sampler) < threshold;
}

uint64_t sample_below(struct sampler *sampler, uint64_t bound)
{
    uint64_t reject = (0 - bound) % bound, u; /* 2^64 mod bound: draws below it would be one too many */
    do
        u = sample_u64(sampler);
    while (u < reject && sampler->status == UF_OK);
    return u % bound;
}
