/* SPDX-License-Identifier: MIT */
/* dpset without instructions for AES: the specification, and what runs where there are none. Rows are computed many at
 * a time, since one costs as much as BITSLICED_BLOCKS of them. */
#define LINEAR_SCALAR
#include "aes_bitsliced.h"
#include "dpset_query.h"

_Static_assert(BATCH % BITSLICED_BLOCKS == 0, "batches fill the blocks that are computed together");

static int query(const struct uf_filter *filter, struct hash128 hash)
{
    struct located found;
    find_many(filter, &hash, 1, &found, bitsliced_encrypt_many);
    return accepts(CONST_PARAMS(struct dpset, filter), &found);
}

static void query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    query_in_batches(filter, source, count, answers, bitsliced_encrypt_many);
}

static void rows(const struct dpset *dpset, const uint64_t seed[2], const struct hash128 *keys, uint64_t count,
                 struct hash128 *out)
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = (struct hash128){keys[i].lo ^ seed[0], keys[i].hi ^ seed[1]};
    bitsliced_encrypt_many(&dpset->key, out, (size_t)count);
}

const struct dpset_calls dpset_portable = {{.query = query, .query_many = query_many}, rows};
