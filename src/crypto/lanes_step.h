/* SPDX-License-Identifier: MIT */
/*
 * Many lanes at once. Each compares random bits with those of T, highest first: where they differ it is decided, and it
 * is 1 when T has the 1. What costs is the keystream, so that few of its bits are for lanes that need none:
 *
 *   1. DEPTH words of the keystream, one bit each for 64 lanes. One lane in 16 is still open.
 *   2. Words share: of those in a column, the first that is open at a position has that bit of a first carrier, the
 * next one that of a second. DEPTH words decide a carrier, as above, and step 3 what it leaves open.
 *   3. Third ones at a position, 0.4 lanes of a word, are decided one by one: by a byte, or, where it is equal to T's,
 *      by 64 bits more. Such a number is exactly below T's rest or not; none is ever longer.
 *
 * Each bit of the keystream decides one lane, and which one follows from bits that were drawn before. 4.6 words make 64
 * lanes; comparing them all until none is open takes 7.3. Words are in columns, word i of a step beside word i + n /
 * 16, so that every loop but step 3 runs over neighbours, and compilers make vectors of them.
 *
 * The lower bound for one lane alone is two bits: Knuth and Yao, "The complexity of nonuniform random number
 * generation", 1976.
 *
 * Included by lanes.c and lanes_avx512.c, each of which says LANES_BYTES, how wide its vectors are, and gets lanes_go.
 */
#ifndef UF_LANES_STEP_H
#define UF_LANES_STEP_H

#include "sample.h"

enum { WORDS = sizeof((struct sampler *)0)->word / sizeof(uint64_t) };
enum { DEPTH = LANES_DEPTH, STEP = LANES_STEP, COLUMNS = LANES_COLUMNS, CARRIERS = LANES_CARRIERS };

/* Words of neighbouring columns. */
typedef uint64_t words __attribute__((vector_size(LANES_BYTES), aligned(8), may_alias));

enum { WIDTH = sizeof(words) / sizeof(uint64_t) };

/* Bit `i` of T, from the highest, in all lanes. */
static inline uint64_t bit_of(uint64_t threshold, unsigned i)
{
    return 0 - (threshold >> (63 - i) & 1);
}

/* The first DEPTH bits of n words, from the last: a bit that differs from T's overrules those behind it. */
static inline void compare(const uint64_t *restrict plane, uint64_t threshold, uint64_t *restrict below,
                           uint64_t *restrict open, const size_t n)
{
    for (size_t i = 0; i < n; i += WIDTH) {
        words ones = {0}, same = ~ones;
        for (unsigned j = DEPTH; j--;) {
            uint64_t bit = bit_of(threshold, j);
            words differ = *(const words *)&plane[j * n + i] ^ bit;
            ones = (differ & bit) | (~differ & ones);
            same &= ~differ;
        }
        *(words *)&below[i] = ones;
        *(words *)&open[i] = same;
    }
}

/* ---- one by one ---- */

struct bytes {
    uint64_t word;
    unsigned left;
};

static inline uint64_t next_byte(struct sampler *sampler, struct bytes *bytes)
{
    if (!bytes->left) {
        bytes->word = sampler->next < WORDS ? sampler->word[sampler->next++] : sample_u64(sampler);
        bytes->left = 8;
    }
    uint64_t byte = bytes->word & 0xff;
    bytes->word >>= 8;
    bytes->left--;
    return byte;
}

/* 1 when a number is below T: a byte mostly says so. */
static inline uint64_t decide(struct sampler *sampler, struct bytes *bytes, uint64_t threshold)
{
    uint64_t byte = next_byte(sampler, bytes), head = threshold >> 56;
    if (__builtin_expect(byte == head, 0))
        return sample_u64(sampler) < threshold << 8;
    return byte < head;
}

/* At most 64 words: the lowest open lane of each, then of each that has another one, and so on. A loop over the lanes
 * of each word by itself would end at a place that no processor foresees. */
static void finish_some(struct sampler *sampler, struct bytes *bytes, uint64_t threshold, uint64_t *below,
                        uint64_t *open, size_t n)
{
    uint64_t now = 0, again;
    for (size_t i = 0; i < n; i++)
        now |= (uint64_t)(open[i] != 0) << i;
    while (now) {
        unsigned left = (unsigned)__builtin_popcountll(now);
        again = 0;
        do {
            unsigned i = (unsigned)__builtin_ctzll(now);
            now &= now - 1;
            uint64_t lanes = open[i], rest = lanes & (lanes - 1);
            open[i] = rest;
            again |= (uint64_t)(rest != 0) << i;
            below[i] |= (lanes ^ rest) & (0 - decide(sampler, bytes, threshold));
        } while (--left);
        now = again;
    }
}

static void finish(struct sampler *sampler, uint64_t threshold, uint64_t *below, uint64_t *open, size_t n)
{
    struct bytes bytes = {0, 0};
    for (size_t i = 0; i < n; i += 64)
        finish_some(sampler, &bytes, threshold, below + i, open + i, n - i < 64 ? n - i : 64);
}

/* ---- sharing ---- */

/* carrier: of each column, where one of its words is open, then where two are. */
static void share(const uint64_t *restrict open, uint64_t *restrict carrier)
{
    for (size_t column = 0; column < COLUMNS; column += WIDTH) {
        words first = {0}, second = first;
        for (size_t row = 0; row < STEP; row += COLUMNS) {
            words lanes = *(const words *)&open[row + column];
            second |= first & lanes;
            first |= lanes;
        }
        *(words *)&carrier[column] = first;
        *(words *)&carrier[COLUMNS + column] = second;
    }
}

/* Each lane gets what its carrier has for it, in the order of share. */
static void hand_out(const uint64_t *restrict carried, uint64_t *restrict below, uint64_t *restrict open)
{
    for (size_t column = 0; column < COLUMNS; column += WIDTH) {
        const words one = *(const words *)&carried[column], two = *(const words *)&carried[COLUMNS + column];
        words first = {0}, second = first;
        for (size_t row = 0; row < STEP; row += COLUMNS) {
            words lanes = *(const words *)&open[row + column], late = lanes & first;
            *(words *)&below[row + column] |= ((lanes ^ late) & one) | (late & ~second & two);
            *(words *)&open[row + column] = late & second;
            first |= lanes;
            second |= late;
        }
    }
}

static void fill_step(struct sampler *sampler, uint64_t threshold, uint64_t *out)
{
    uint64_t *plane = sampler->plane, *open = sampler->open, *carrier = sampler->carrier, *carried = sampler->carried,
             *left = sampler->left;
    sampler_draw(sampler, plane, DEPTH * (STEP + CARRIERS));
    compare(plane, threshold, out, open, STEP);
    share(open, carrier);
    compare(plane + DEPTH * STEP, threshold << DEPTH, carried, left, CARRIERS);
    for (unsigned i = 0; i < CARRIERS; i++)
        carrier[i] &= left[i];
    finish(sampler, threshold << 2 * DEPTH, carried, carrier, CARRIERS);
    hand_out(carried, out, open);
    finish(sampler, threshold << DEPTH, out, open, STEP);
}

/* `steps` times LANES_STEP words. */
static void lanes_go(struct sampler *sampler, uint64_t threshold, uint64_t *out, size_t steps)
{
    for (; steps; steps--, out += STEP)
        fill_step(sampler, threshold, out);
}

#endif
