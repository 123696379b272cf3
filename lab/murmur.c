/* SPDX-License-Identifier: MIT */
/*
 * Inverting two hashes of one item at once. The item is two words, mixed K1 and K2. With s = seed ^ 16 M for each of
 * the two seeds, and u = unfinish(hash) / M,
 *
 *     (s1 ^ K1) * M ^ K2 = u1        (s2 ^ K1) * M ^ K2 = u2
 *
 * K2 drops out of the sum of the two: (s1 ^ K1) * M ^ (s2 ^ K1) * M = u1 ^ u2. Bit i of that depends on the bits 0 to i
 * of K1 only, so K1 is found from its lowest bit on, by trying both values and going back where neither fits.
 */
#include "murmur.h"

#include <string.h>

static const uint64_t M = UINT64_C(0xc6a4a7935bd1e995), ONE_OVER_M = UINT64_C(0x5f7a0ea7e59b19bd); /* modulo 2^64 */

enum { SHIFT = 47 };

/* ---- the hash ---- */

static uint64_t mix(uint64_t word)
{
    word *= M;
    word ^= word >> SHIFT;
    return word * M;
}

static uint64_t finish(uint64_t h)
{
    h ^= h >> SHIFT;
    h *= M;
    return h ^ h >> SHIFT;
}

/* Little-endian on every machine. */
static uint64_t read_word(const unsigned char *at, size_t bytes)
{
    uint64_t word = 0;
    for (size_t i = 0; i < bytes; i++)
        word |= (uint64_t)at[i] << 8 * i;
    return word;
}

static void write_word(uint64_t word, unsigned char *at)
{
    for (size_t i = 0; i < 8; i++)
        at[i] = (unsigned char)(word >> 8 * i);
}

uint64_t murmur64(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *at = data;
    uint64_t h = seed ^ bytes * M;
    for (; bytes >= 8; bytes -= 8, at += 8)
        h = (h ^ mix(read_word(at, 8))) * M;
    if (bytes)
        h = (h ^ read_word(at, bytes)) * M;
    return finish(h);
}

/* ---- back ---- */

/* The shift is more than half of the word, so the xor undoes itself. */
static uint64_t unmix(uint64_t word)
{
    word *= ONE_OVER_M;
    word ^= word >> SHIFT;
    return word * ONE_OVER_M;
}

/* What the state was before the last multiplication of the last word. */
static uint64_t unfinish(uint64_t h)
{
    h ^= h >> SHIFT;
    h *= ONE_OVER_M;
    return (h ^ h >> SHIFT) * ONE_OVER_M;
}

struct search {
    uint64_t s1, s2, sum, u1; /* sum: u1 ^ u2 */
    struct item *out;
    size_t found, capacity;
    uint64_t steps;
};

static void add_found(struct search *search, uint64_t k1)
{
    struct item *item = &search->out[search->found++];
    write_word(unmix(k1), item->bytes);
    write_word(unmix(search->u1 ^ (search->s1 ^ k1) * M), item->bytes + 8);
}

/* `k1` is right in its bits below `bit`. */
static void extend(struct search *search, uint64_t k1, unsigned bit)
{
    if (bit == 64) {
        add_found(search, k1);
        return;
    }
    for (uint64_t value = 0; value < 2 && search->found < search->capacity; value++) {
        uint64_t next = k1 | value << bit;
        uint64_t sum = (search->s1 ^ next) * M ^ (search->s2 ^ next) * M;
        search->steps++;
        if (!((sum ^ search->sum) << (63 - bit)))
            extend(search, next, bit + 1);
    }
}

size_t murmur_craft(uint64_t a, uint64_t b, struct item *out, size_t capacity, uint64_t *steps)
{
    struct search search = {.s1 = MURMUR_PUBLIC_SEED ^ ITEM_BYTES * M,
                            .s2 = a ^ ITEM_BYTES * M,
                            .sum = unfinish(a) ^ unfinish(b),
                            .u1 = unfinish(a),
                            .out = out,
                            .capacity = capacity};
    extend(&search, 0, 0);
    *steps += search.steps;
    return search.found;
}

size_t murmur_craft_any(uint64_t residue, uint64_t modulus, uint64_t b, struct stream *stream, struct item *out,
                        size_t capacity, uint64_t *steps)
{
    uint64_t multiples = (UINT64_MAX - residue) / modulus; /* never the last: a + i b is to stay below 2^64 */
    size_t found = 0;
    while (!found && capacity)
        found = murmur_craft(residue + modulus * (stream_next(stream) % multiples), b, out, capacity, steps);
    return found;
}
