/* SPDX-License-Identifier: MIT */
/* dpset without instructions for AES: the specification, and what runs where there are none. Rows are computed many at
 * a time, since one costs as much as BITSLICED_BLOCKS of them. */
#define LINEAR_SCALAR
#include <string.h>

#include "aes_bitsliced.h"
#include "dpset_query.h"

enum { BATCH = 64 };

_Static_assert(BATCH % BITSLICED_BLOCKS == 0, "batches fill the blocks that are computed together");

static void find(const struct uf_filter *filter, const struct hash128 *hash, size_t count, struct located *found)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    struct hash128 row[BATCH];
    memcpy(row, hash, count * sizeof *row);
    if (dpset->mixed)
        bitsliced_encrypt_many(&dpset->key, row, count);
    for (size_t i = 0; i < count; i++) {
        found[i] = locate(filter, row[i]);
        row[i] = found[i].row;
    }
    bitsliced_encrypt_many(&dpset->key, row, count);
    for (size_t i = 0; i < count; i++)
        found[i].row = row[i];
}

static int query(const struct uf_filter *filter, struct hash128 hash)
{
    struct located found;
    find(filter, &hash, 1, &found);
    return accepts(CONST_PARAMS(struct dpset, filter), &found);
}

static void query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    struct hash128 hash[BATCH];
    struct located found[BATCH];
    for (size_t first = 0; first < count; first += BATCH) {
        size_t size = count - first < BATCH ? count - first : BATCH;
        source->fill(source, hash, size);
        find(filter, hash, size, found);
        for (size_t i = 0; i < size; i++)
            fetch(filter, &found[i], 0);
        for (size_t i = 0; i < size; i++)
            answers[first + i] = (uint8_t)accepts(dpset, &found[i]);
    }
}

static void rows(const struct dpset *dpset, const uint64_t seed[2], const struct hash128 *keys, uint64_t count,
                 struct hash128 *out)
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = (struct hash128){keys[i].lo ^ seed[0], keys[i].hi ^ seed[1]};
    bitsliced_encrypt_many(&dpset->key, out, (size_t)count);
}

const struct dpset_calls dpset_portable = {{.query = query, .query_many = query_many}, rows};
