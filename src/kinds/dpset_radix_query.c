/* SPDX-License-Identifier: MIT */
/*
 * What a dpset in mixed radix says about a key: the sum of its eight numbers and its fingerprint, digit by digit
 * (core/digits.h). 0 is accepted in the first group, and 1 where the second has less than accept - m.
 *
 * The loop over the eight terms has a copy for each shape of a table: for either band, packs of at most 32 bits or
 * more, and numbers that are looked up whole or in two parts.
 */
#include "dpset_radix.h"

/* A table of numbers, and what a loop keeps in registers. */
struct table {
    const uint32_t *spread;
    const uint64_t *scale;
    uint32_t numbers, bits, per_pack, low, high;
};

static inline struct table table_of(const struct dpset *dpset, uint32_t i)
{
    const struct digits *digits = &dpset->digits[i];
    return (struct table){.spread = dpset->spread + (i ? dpset->second : 0),
                          .scale = digits->scale,
                          .numbers = digits->numbers,
                          .bits = digits->bits,
                          .per_pack = digits->per_pack,
                          .low = digits->low,
                          .high = digits->high};
}

/* The lanes of both parts of a number, added up. */
struct sum {
    uint32_t low, high;
};

/* a b + c. On a Neoverse-N1 a product of two numbers of 32 bits is three times as fast as one of 64 bits, which is what
 * gcc makes of it when it widens b before a loop. */
RADIX_INLINE uint64_t product(uint32_t a, uint32_t b, uint64_t c)
{
#ifdef __aarch64__
    uint64_t out;
    __asm__("umaddl %0, %w1, %w2, %x3" : "=r"(out) : "r"(a), "r"(b), "rZ"(c));
    return out;
#else
    return (uint64_t)a * b + c;
#endif
}

/* A fraction of 64 bits in halves: the integer part of it times a small factor, and the fraction that is left. Two
 * products of 32 bits are faster than one of 64 and its upper half, where those take four times as long. */
struct fraction {
    uint32_t high, low;
};

RADIX_INLINE uint32_t multiply(struct fraction *x, uint32_t factor)
{
    uint64_t low = product(x->low, factor, 0), high = product(x->high, factor, low >> 32);
    x->low = (uint32_t)low;
    x->high = (uint32_t)high;
    return (uint32_t)(high >> 32);
}

/* Bits above the pack fall out of the product with the scale. */
RADIX_INLINE void add_number(const struct table *table, struct sum *sum, uint64_t pack, uint64_t scale, int narrow,
                             int parts)
{
    if (narrow) {
        uint64_t part = product((uint32_t)pack * (uint32_t)scale, parts ? table->high : table->low, 0);
        if (parts) {
            sum->high += table->spread[table->low + (uint32_t)(part >> 32)];
            part = product((uint32_t)part, table->low, 0);
        }
        sum->low += table->spread[part >> 32];
    } else {
        uint64_t part = pack * scale;
        struct fraction fraction = {(uint32_t)(part >> 32), (uint32_t)part};
        if (parts)
            sum->high += table->spread[table->low + multiply(&fraction, table->high)];
        sum->low += table->spread[multiply(&fraction, table->low)];
    }
}

/* All loads come first: they are what a single query waits for. */
RADIX_INLINE struct sum sum_terms(const struct table *table, const uint64_t *words, uint32_t start, uint32_t terms,
                                  unsigned block, int narrow, int parts)
{
    struct sum sum = {0, 0};
    uint64_t pack[SPARSE_TERMS];
    uint32_t rest[SPARSE_TERMS];
#pragma GCC unroll 8
    for (unsigned i = 0; i < SPARSE_TERMS; i++) {
        uint32_t slot = start + block * i + (terms >> 4 * i & (block - 1));
        uint32_t index = (uint32_t)(product(slot, table->per_pack, 0) >> 31);
        pack[i] = bits_from(words, index * table->bits);
        rest[i] = slot - index * table->numbers;
    }
#pragma GCC unroll 8
    for (unsigned i = 0; i < SPARSE_TERMS; i++)
        add_number(table, &sum, pack[i], table->scale[rest[i]], narrow, parts);
    return sum;
}

/* The fingerprint is one number more. */
RADIX_INLINE struct sum with_print(const struct table *table, struct sum sum, uint32_t print, int parts)
{
    if (!parts)
        return (struct sum){sum.low + table->spread[print], 0};
    uint32_t high = print / table->low;
    return (struct sum){sum.low + table->spread[print - high * table->low],
                        sum.high + table->spread[table->low + high]};
}

RADIX_INLINE struct sum sum_of(const struct dpset *dpset, const struct table *table, uint32_t i,
                               const struct located *found, unsigned block, int narrow, int parts)
{
    const struct radix_row row = radix_row(dpset, i, found->row);
    struct sum sum = sum_terms(table, found->words + dpset->group[i].offset, row.start, radix_terms(found->row), block,
                               narrow, parts);
    return with_print(table, sum, row.print, parts);
}

/* The number whose digits the lanes are, modulo their primes. */
RADIX_INLINE uint32_t number_of(const struct digits *digits, struct sum sum)
{
    uint64_t lanes = sum.low | (uint64_t)sum.high << digits->low_bits;
    uint32_t number = 0, weight = 1;
    for (unsigned i = 0; i < digits->power[0]; i++, lanes >>= digits_lane(0), weight *= 2)
        number += weight * digits_rest(0, lanes & 15);
    for (unsigned i = 0; i < digits->power[1]; i++, lanes >>= digits_lane(1), weight *= 3)
        number += weight * digits_rest(1, lanes & 31);
    for (unsigned i = 0; i < digits->power[2]; i++, lanes >>= digits_lane(2), weight *= 7)
        number += weight * digits_rest(2, lanes & 63);
    return number;
}

/* Whether all digits are zero: bit s of a mask says that the prime divides the sum s of nine digits. */
RADIX_INLINE unsigned is_zero(const struct digits *digits, struct sum sum)
{
    const uint32_t twos = 0x5555, threes = 0x49249;
    const uint64_t sevens = UINT64_C(0x2040810204081);
    uint64_t lanes = sum.low | (uint64_t)sum.high << digits->low_bits, zero = 1;
    for (unsigned i = 0; i < digits->power[0]; i++, lanes >>= digits_lane(0))
        zero &= twos >> (lanes & 15);
    for (unsigned i = 0; i < digits->power[1]; i++, lanes >>= digits_lane(1))
        zero &= threes >> (lanes & 31);
    for (unsigned i = 0; i < digits->power[2]; i++, lanes >>= digits_lane(2))
        zero &= sevens >> (lanes & 63);
    return (unsigned)zero;
}

uint32_t radix_number(const struct dpset *dpset, uint32_t i, const struct located *found)
{
    const struct table table = table_of(dpset, i);
    const unsigned block = dpset->band / SPARSE_TERMS;
    int narrow = table.bits <= 32;
    struct sum sum = table.high > 1 ? sum_of(dpset, &table, i, found, block, narrow, 1)
                                    : sum_of(dpset, &table, i, found, block, narrow, 0);
    return number_of(&dpset->digits[i], sum);
}

/* The second group is asked once in R times. */
static __attribute__((noinline)) int second_accepts(const struct dpset *dpset, const struct located *found)
{
    return radix_number(dpset, 1, found) + dpset->radix[1] < dpset->accept;
}

/* Of a key in registers: were its address known, it would be in memory throughout. */
static __attribute__((noinline)) int second_alone(const struct dpset *dpset, struct hash128 row, const uint64_t *words)
{
    const struct located found = {row, words};
    return second_accepts(dpset, &found);
}

RADIX_INLINE int accepts(const struct dpset *dpset, const struct table *table, const struct located *found,
                         unsigned block, int narrow, int parts, int alone)
{
    const struct digits *digits = &dpset->digits[0];
    struct sum sum = sum_of(dpset, table, 0, found, block, narrow, parts);
    if (dpset->groups > 1 && number_of(digits, sum) == 1)
        return alone ? second_alone(dpset, found->row, found->words) : second_accepts(dpset, found);
    return (int)is_zero(digits, sum);
}

/* One key, where answers is NULL. */
RADIX_INLINE int accepts_all(const struct dpset *dpset, const struct located *found, size_t count, uint8_t *answers,
                             unsigned block, int narrow, int parts)
{
    const struct table table = table_of(dpset, 0);
    if (!answers)
        return accepts(dpset, &table, found, block, narrow, parts, 1);
    for (size_t i = 0; i < count; i++)
        answers[i] = (uint8_t)accepts(dpset, &table, &found[i], block, narrow, parts, 0);
    return 0;
}

RADIX_INLINE int by_shape(const struct dpset *dpset, const struct located *found, size_t count, uint8_t *answers)
{
    const struct digits *digits = &dpset->digits[0];
    switch ((dpset->band == 128) * 4 + (digits->bits <= 32) * 2 + (digits->high > 1)) {
    case 0:
        return accepts_all(dpset, found, count, answers, 8, 0, 0);
    case 1:
        return accepts_all(dpset, found, count, answers, 8, 0, 1);
    case 2:
        return accepts_all(dpset, found, count, answers, 8, 1, 0);
    case 3:
        return accepts_all(dpset, found, count, answers, 8, 1, 1);
    case 4:
        return accepts_all(dpset, found, count, answers, 16, 0, 0);
    case 5:
        return accepts_all(dpset, found, count, answers, 16, 0, 1);
    case 6:
        return accepts_all(dpset, found, count, answers, 16, 1, 0);
    default:
        return accepts_all(dpset, found, count, answers, 16, 1, 1);
    }
}

void radix_accepts_many(const struct dpset *dpset, const struct located *found, size_t count, uint8_t *answers)
{
    if (answers)
        (void)by_shape(dpset, found, count, answers);
}

int radix_accepts(const struct dpset *dpset, struct hash128 row, const uint64_t *words)
{
    const struct located found = {row, words};
    return by_shape(dpset, &found, 1, NULL);
}
