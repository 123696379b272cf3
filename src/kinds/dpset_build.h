/* SPDX-License-Identifier: MIT */
/* What the parts of a dpset's build tell each other. */
#ifndef UF_DPSET_BUILD_H
#define UF_DPSET_BUILD_H

#include <pthread.h>

#include "dpset.h"
#include "sample.h"

/* Of a shard, before there is no filter. */
enum { DPSET_MOST_TRIES = 64 };

/* What all shards of mixed radix share. */
struct radix_work {
    uint32_t *value[RADIX_GROUPS]; /* for each fingerprint, what its terms add up to: sparse_row.value; owned */
    uint64_t ratio[RADIX_GROUPS];  /* digits_ratio */
    struct radix_scratch *idle;    /* memory of shards that are done, for the next ones: owned */
    pthread_mutex_t lock;          /* of `idle` */
};

int radix_work_start(const struct uf_filter *filter, struct radix_work *out);
void radix_work_end(const struct uf_filter *filter, struct radix_work *work);

/* A positive status: the first try of a shard planted more keys than it takes. */
enum { RADIX_CROWDED = 1 };

/* Solves one shard: writes its seed and its words. UF_EBUILD after too many tries; RADIX_CROWDED. */
int radix_shard(const struct uf_filter *filter, const struct dpset_calls *calls, struct radix_work *work,
                struct sampler *sampler, uint32_t index, const struct hash128 *keys, uint64_t count);

#endif
