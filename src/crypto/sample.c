/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include <string.h>

#include "arith.h"

enum { WORDS = sizeof((struct sampler *)0)->word / sizeof(uint64_t) };

void sampler_start(struct sampler *sampler, struct rng *rng)
{
    sampler->rng = rng;
    sampler->next = WORDS;
    sampler->status = UF_OK;
}

int sampler_end(struct sampler *sampler)
{
    int status = sampler->status;
    explicit_bzero(sampler, sizeof *sampler);
    sampler->next = WORDS;
    return sampler->status = status;
}

void sampler_draw(struct sampler *sampler, uint64_t *out, size_t words)
{
    int status = rng_bytes(sampler->rng, out, words * sizeof *out);
    if (status != UF_OK && sampler->status == UF_OK)
        sampler->status = status;
    for (size_t i = 0; i < words && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; i++)
        out[i] = __builtin_bswap64(out[i]); /* the stream is bytes: a seed means the same everywhere */
}

static void refill(struct sampler *sampler)
{
    sampler_draw(sampler, sampler->word, WORDS);
    sampler->next = 0;
}

uint64_t sample_u64(struct sampler *sampler)
{
    if (sampler->next == WORDS)
        refill(sampler);
    return sampler->word[sampler->next++];
}

int sample_coin(struct sampler *sampler, uint64_t threshold)
{
    return sample_u64(sampler) < threshold;
}

/* The upper half of u * bound is even but for 2^64 mod bound draws too many, which are recognised by the lower half. */
uint64_t sample_below(struct sampler *sampler, uint64_t bound)
{
    uint64_t u = sample_u64(sampler);
    if (u * bound < bound)
        for (uint64_t reject = (0 - bound) % bound; u * bound < reject && sampler->status == UF_OK;)
            u = sample_u64(sampler);
    return mul_high(u, bound);
}
