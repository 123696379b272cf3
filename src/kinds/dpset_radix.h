/* SPDX-License-Identifier: MIT */
/* Rows of a dpset in mixed radix, and what a table says about them. */
#ifndef UF_DPSET_RADIX_H
#define UF_DPSET_RADIX_H

#include <string.h>

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

/* A key in its shard: until AES was done, `row` is what goes into it. */
struct located {
    struct hash128 row;
    const uint64_t *words; /* of the shard */
};

/* What a table says about keys: dpset_radix_query.c. One by one, and many. */
int radix_accepts(const struct dpset *dpset, struct hash128 row, const uint64_t *words);
void radix_accepts_many(const struct dpset *dpset, const struct located *found, size_t count, uint8_t *answers);

/* The number of a key in group i. */
uint32_t radix_number(const struct dpset *dpset, uint32_t i, const struct located *found);

#endif
