/* SPDX-License-Identifier: MIT */
/* The shape of a classic filter, for those who make something of its array. */
#ifndef UF_BLOOM_H
#define UF_BLOOM_H

#include "kind.h"
#include "positions.h"

struct bloom {
    uint64_t n, part, stride; /* stride: bits from one partition to the next, whole words */
    unsigned k;
};

INLINE struct positions bloom_positions(const struct uf_filter *filter)
{
    const struct bloom *bloom = CONST_PARAMS(struct bloom, filter);
    return (struct positions){filter->words, bloom->part, bloom->stride, bloom->k};
}

#endif
