/* SPDX-License-Identifier: MIT */
/* Exact removal of duplicates among the hashes of keys. Both move the distinct ones to the front and set *count. */
#ifndef UF_DISTINCT_H
#define UF_DISTINCT_H

#include "hash128.h"
#include "mem.h"

/* In the order they came; needs 4 to 8 bytes per key for a moment, UF_ENOMEM without. */
int distinct_keys(const struct mem *mem, struct hash128 *keys, uint64_t *count);

/* Sorted by (hi, lo): the same array for the same set, in whatever order and however often its keys came. */
void distinct_sorted(struct hash128 *keys, uint64_t *count);

#endif
