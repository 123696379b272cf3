/* SPDX-License-Identifier: MIT */
/* dpset with portable AES: the specification, and what runs where there are no instructions for it. */
#include "dpset_query.h"

INLINE void prepare(const void *self, struct hash128 hash, void *slot, unsigned variant)
{
    (void)variant;
    *(struct located *)slot = find(self, hash, aes_block_portable);
}

static int query(const struct uf_filter *filter, struct hash128 hash)
{
    return query_one(filter, hash, aes_block_portable);
}

static void query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    query_tiles(filter, source, count, answers, prepare);
}

static void rows(const struct dpset *dpset, const uint64_t seed[2], const struct hash128 *keys, uint64_t count,
                 struct hash128 *out)
{
    all_rows(dpset, seed, keys, count, out, aes_block_portable);
}

const struct dpset_calls dpset_portable = {{.query = query, .query_many = query_many}, rows};
