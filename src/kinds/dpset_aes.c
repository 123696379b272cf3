/* SPDX-License-Identifier: MIT */
/* dpset with the processor's AES instructions. This file alone is compiled for them; dpset_calls_for asks first. */
#include "aes_inline.h"
#include "dpset_query.h"

#ifdef AES_INLINE

INLINE struct located find(const struct uf_filter *filter, struct hash128 hash)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    struct located found = locate(filter, dpset->mixed ? aes_block(&dpset->key, hash) : hash);
    found.row = aes_block(&dpset->key, found.row);
    return found;
}

INLINE void prepare(const void *self, struct hash128 hash, void *slot, unsigned variant)
{
    (void)variant;
    *(struct located *)slot = find(self, hash);
}

INLINE void test(const void *self, const void *slot, size_t index, void *out, unsigned variant)
{
    const struct uf_filter *filter = self;
    (void)variant;
    ((uint8_t *)out)[index] = (uint8_t)accepts(CONST_PARAMS(struct dpset, filter), slot);
}

static int query(const struct uf_filter *filter, struct hash128 hash)
{
    struct located found = find(filter, hash);
    return accepts(CONST_PARAMS(struct dpset, filter), &found);
}

static void query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct located slots[TILE_SLOTS];
    struct tile_steps steps = {prepare, fetch, test};
    tiles_run(filter, source, count, slots, sizeof slots[0], steps, answers, 0);
}

static void rows(const struct dpset *dpset, const uint64_t seed[2], const struct hash128 *keys, uint64_t count,
                 struct hash128 *out)
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = aes_block(&dpset->key, (struct hash128){keys[i].lo ^ seed[0], keys[i].hi ^ seed[1]});
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
