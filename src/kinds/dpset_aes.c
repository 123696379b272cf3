/* SPDX-License-Identifier: MIT */
/* dpset with the processor's AES instructions. This file alone is compiled for them; dpset_calls_for asks first. */
#include "aes_inline.h"
#include "dpset_query.h"

#ifdef AES_INLINE

INLINE void prepare(const void *self, struct hash128 hash, void *slot, unsigned variant)
{
    (void)variant;
    *(struct located *)slot = find(self, hash, aes_block);
}

static int query(const struct uf_filter *filter, struct hash128 hash)
{
    return query_one(filter, hash, aes_block);
}

static void query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    query_tiles(filter, source, count, answers, prepare);
}

static void rows(const struct dpset *dpset, const uint64_t seed[2], const struct hash128 *keys, uint64_t count,
                 struct hash128 *out)
{
    all_rows(dpset, seed, keys, count, out, aes_block);
}

static const struct dpset_calls calls = {{.query = query, .query_many = query_many}, rows};

const struct dpset_calls *dpset_with_aes(void)
{
    return &calls;
}

#else

const struct dpset_calls *dpset_with_aes(void)
{
    return NULL;
}

#endif
