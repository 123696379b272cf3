/* SPDX-License-Identifier: MIT */
/* What the parts of a dpset's build tell each other. */
#ifndef UF_DPSET_BUILD_H
#define UF_DPSET_BUILD_H

#include "dpset.h"
#include "sample.h"

/* Of a shard, before there is no filter. */
enum { DPSET_MOST_TRIES = 64 };

/* What all shards of mixed radix share. */
struct radix_tables {
    uint32_t *value[RADIX_GROUPS]; /* for each fingerprint, what its terms add up to: sparse_row.value; owned */
    uint64_t ratio[RADIX_GROUPS];  /* digits_ratio */
};

int radix_tables_make(const struct uf_filter *filter, struct radix_tables *out);
void radix_tables_free(const struct uf_filter *filter, struct radix_tables *tables);

/* A positive status: the first try of a shard planted more keys than it takes. */
enum { RADIX_CROWDED = 1 };

/* Solves one shard: writes its seed and its words. UF_EBUILD after too many tries; RADIX_CROWDED. */
int radix_shard(const struct uf_filter *filter, const struct dpset_calls *calls, const struct radix_tables *tables,
                struct sampler *sampler, uint32_t index, const struct hash128 *keys, uint64_t count);

#endif
