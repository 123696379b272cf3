/* SPDX-License-Identifier: MIT */
/* What a dpset of mixed radix says about a key: the sum of its eight numbers and its fingerprint, digit by digit. */
#ifndef UF_DPSET_RADIX_H
#define UF_DPSET_RADIX_H

#include <string.h>

#include "arith.h"
#include "dpset.h"
#include "sparse.h"

#define RADIX_INLINE static inline __attribute__((always_inline))

/* 64 bits from a bit at which a pack can begin; more than the pack may be set. */
RADIX_INLINE uint64_t bits_from(const uint64_t *words, uint64_t bit)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;
    memcpy(&word, (const unsigned char *)words + bit / 8, sizeof word);
    return word >> bit % 8;
#else
    return words[bit / 64] >> bit % 64 | words[bit / 64 + 1] << 1 << (63 - bit % 64);
#endif
}

/* A row of AES bits in one group: where it starts, which slots it has, and its fingerprint. Both groups have the same
 * terms. */
struct radix_row {
    uint32_t start, print;
};

RADIX_INLINE struct radix_row radix_row(const struct dpset *dpset, uint32_t i, struct hash128 g)
{
    return (struct radix_row){shards_scale(g.lo, dpset->group[i].slots - dpset->band + 1),
                              shards_scale(i ? g.hi : g.lo << 32, dpset->radix[i])};
}

RADIX_INLINE uint32_t radix_terms(struct hash128 g)
{
    return (uint32_t)g.hi;
}

/* The lanes of both parts of a number, added up. */
struct radix_sum {
    uint32_t low, high;
};

RADIX_INLINE void add_number(struct radix_sum *sum, const struct digits *digits, const uint32_t *spread,
                             uint64_t fraction, uint64_t power, int narrow, int parts)
{
    uint32_t high, low;
    if (narrow) {
        uint32_t part = ((uint32_t)fraction << (32 - digits->bits)) * (uint32_t)power;
        uint64_t product = (uint64_t)part * (parts ? digits->high : digits->low);
        high = (uint32_t)(product >> 32);
        low = parts ? (uint32_t)((product & UINT32_MAX) * digits->low >> 32) : 0;
    } else {
        uint64_t part = (fraction << (64 - digits->bits)) * power, first = parts ? digits->high : digits->low;
        high = (uint32_t)mul_high(part, first);
        low = parts ? (uint32_t)mul_high(part * first, digits->low) : 0;
    }
    if (parts) {
        sum->low += spread[low];
        sum->high += spread[digits->low + high];
    } else {
        sum->low += spread[high];
    }
}

RADIX_INLINE struct radix_sum sum_terms(const struct digits *digits, const uint32_t *spread, const uint64_t *words,
                                        uint32_t start, uint32_t terms, unsigned block, int narrow, int parts)
{
    struct radix_sum sum = {0, 0};
    for (unsigned i = 0; i < SPARSE_TERMS; i++) {
        uint32_t slot = start + block * i + (terms >> 4 * i & (block - 1));
        uint32_t pack = (uint32_t)((uint64_t)slot * digits->per_pack >> 31);
        add_number(&sum, digits, spread, bits_from(words, (uint64_t)pack * digits->bits),
                   digits->power_of[slot - pack * digits->numbers], narrow, parts);
    }
    return sum;
}

RADIX_INLINE struct radix_sum sum_of(const struct dpset *dpset, const struct digits *digits, const uint32_t *spread,
                                     const uint64_t *words, uint32_t start, uint32_t terms)
{
    const unsigned block = dpset->band / SPARSE_TERMS;
    if (digits->bits <= 32)
        return digits->high > 1 ? sum_terms(digits, spread, words, start, terms, block, 1, 1)
                                : sum_terms(digits, spread, words, start, terms, block, 1, 0);
    return digits->high > 1 ? sum_terms(digits, spread, words, start, terms, block, 0, 1)
                            : sum_terms(digits, spread, words, start, terms, block, 0, 0);
}

/* The number whose digits the lanes are, modulo their primes. */
RADIX_INLINE uint32_t number_of(const struct digits *digits, struct radix_sum sum)
{
    uint32_t number = 0, weight = 1;
    unsigned column = 0;
    for (unsigned field = 0; field < DIGITS_FIELDS; field++)
        for (unsigned end = column + digits->power[field]; column < end; column++) {
            uint32_t lanes = column < digits->low_columns ? sum.low : sum.high;
            number += weight * digits_rest(field, lanes >> digits->shift[column] & ((16u << field) - 1));
            weight *= field == 0 ? 2 : field == 1 ? 3 : 7;
        }
    return number;
}

/* The number of a key in group i: 0 is accepted in the first one, and 1 where the second has less than accept - m. */
RADIX_INLINE uint32_t radix_number(const struct dpset *dpset, uint32_t i, struct hash128 g, const uint64_t *shard)
{
    const struct digits *digits = &dpset->digits[i];
    const uint32_t *spread = dpset->spread + (i ? dpset->second : 0);
    const struct radix_row row = radix_row(dpset, i, g);
    struct radix_sum sum = sum_of(dpset, digits, spread, shard + dpset->group[i].offset, row.start, radix_terms(g));
    sum.low += spread[row.print % digits->low];
    if (digits->high > 1)
        sum.high += spread[digits->low + row.print / digits->low];
    return number_of(digits, sum);
}

RADIX_INLINE int radix_accepts(const struct dpset *dpset, struct hash128 g, const uint64_t *shard)
{
    uint32_t number = radix_number(dpset, 0, g, shard);
    if (number > 1 || dpset->groups == 1)
        return number == 0;
    return number == 0 || radix_number(dpset, 1, g, shard) + dpset->radix[1] < dpset->accept;
}

#endif
