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
 * differs from T's bit, the lane is decided. Half of the lanes are decided at each step, so 7.3 words are needed on
 * average; SURE of them are used without asking, since a branch that is hard to foresee costs more than a word. The
 * chance that 64 are not enough is 2^-58, and such lanes equal T, which is not below it.
 */
enum { SURE = 8, MOST = 64 };

struct threshold {
    uint64_t bit[MOST]; /* all ones or all zeros, highest bit first */
};

static struct threshold spread(uint64_t threshold)
{
    struct threshold out;
    for (unsigned i = 0; i < MOST; i++)
        out.bit[i] = 0 - (threshold >> (63 - i) & 1);
    return out;
}

static inline uint64_t compare(struct sampler *sampler, const struct threshold *t)
{
    uint64_t open = UINT64_MAX, below = 0;
    unsigned i = 0;
    if (sampler->next > WORDS - MOST)
        refill(sampler);
    const uint64_t *random = sampler->word + sampler->next;
    for (; i < SURE; i++) {
        below |= open & ~random[i] & t->bit[i];
        open &= ~(random[i] ^ t->bit[i]);
    }
    for (; open && i < MOST; i++) {
        below |= open & ~random[i] & t->bit[i];
        open &= ~(random[i] ^ t->bit[i]);
    }
    sampler->next += i;
    return below;
}

uint64_t sample_lanes(struct sampler *sampler, uint64_t threshold)
{
    uint64_t lanes;
    sample_fill(sampler, threshold, &lanes, 1);
    return lanes;
}

void sample_fill(struct sampler *sampler, uint64_t threshold, uint64_t *out, size_t count)
{
    struct threshold t = spread(threshold);
    for (size_t i = 0; i < count; i++)
        out[i] = compare(sampler, &t);
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
