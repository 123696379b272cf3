/* SPDX-License-Identifier: MIT */
/* The loops of dpset, for one way to compute AES. Included once by each file that has one. */
#ifndef UF_DPSET_QUERY_H
#define UF_DPSET_QUERY_H

#include "dpset.h"
#include "tiles.h"

typedef struct hash128 dpset_prf(const struct aes_key *key, struct hash128 in);

INLINE struct hash128 row_of(const struct dpset *dpset, const uint64_t seed[2], struct hash128 hash, dpset_prf *prf)
{
    return prf(&dpset->key, (struct hash128){hash.lo ^ seed[0], hash.hi ^ seed[1]});
}

struct located {
    struct hash128 row;
    const uint64_t *words; /* of the shard */
};

/* Where a group's bits for a row begin. */
INLINE const uint64_t *first_word(const struct dpset_group *group, const struct located *found, uint32_t *off)
{
    uint32_t start = shards_scale(found->row.lo, group->slots - DPSET_BAND + 1);
    *off = start % 64;
    return found->words + group->offset + start / 64 * group->columns;
}

/* The bits that a group stores for a row; more than its columns may be set. */
INLINE uint64_t stored_bits(const struct dpset_group *group, const struct located *found)
{
    uint32_t off;
    const uint64_t *a = first_word(group, found, &off);
    uint64_t c = found->row.hi | 1, low = c << off, high = c >> 1 >> (63 - off), bits = 0;
    const uint64_t *b = high ? a + group->columns : a; /* past the end otherwise, perhaps */
    for (unsigned j = 0; j < group->columns; j += 8)
        bits |= linear_parity8(linear_xor8(linear_and8(a + j, low), linear_and8(b + j, high))) << j;
    return bits;
}

/* Compares the number with `accept` from the highest group down, until they differ. */
INLINE int accepts(const struct dpset *dpset, const struct located *found)
{
    uint64_t fingerprint = found->row.lo & UINT32_MAX;
    for (uint32_t i = 0; i < dpset->groups; i++) {
        const struct dpset_group *group = &dpset->group[i];
        uint64_t mask = (UINT64_C(1) << group->columns) - 1;
        uint64_t number = (stored_bits(group, found) ^ fingerprint >> group->low) & mask;
        uint64_t edge = dpset->accept >> group->low & mask;
        if (number != edge)
            return number < edge;
    }
    return 0;
}

INLINE struct located find(const struct uf_filter *filter, struct hash128 hash, dpset_prf *prf)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    uint32_t shard = shards_scale(hash.hi, dpset->shards);
    return (struct located){row_of(dpset, filter->words + DPSET_SEED_WORDS * (size_t)shard, hash, prf),
                            dpset_shard(filter, shard)};
}

INLINE int query_one(const struct uf_filter *filter, struct hash128 hash, dpset_prf *prf)
{
    struct located found = find(filter, hash, prf);
    return accepts(CONST_PARAMS(struct dpset, filter), &found);
}

/* The first group decides nearly all non-members. */
INLINE void fetch(const void *self, const void *slot, unsigned variant)
{
    const struct dpset_group *group = CONST_PARAMS(struct dpset, (const struct uf_filter *)self)->group;
    uint32_t off;
    const uint64_t *at = first_word(group, slot, &off);
    (void)variant;
    prefetch_read(at);
    prefetch_read(at + 2 * group->columns - 1);
}

INLINE void test(const void *self, const void *slot, size_t index, void *out, unsigned variant)
{
    const struct uf_filter *filter = self;
    (void)variant;
    ((uint8_t *)out)[index] = (uint8_t)accepts(CONST_PARAMS(struct dpset, filter), slot);
}

INLINE void query_tiles(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers,
                        tile_prepare *prepare)
{
    struct located slots[TILE_SLOTS];
    struct tile_steps steps = {prepare, fetch, test};
    tiles_run(filter, source, count, slots, sizeof slots[0], steps, answers, 0);
}

INLINE void all_rows(const struct dpset *dpset, const uint64_t seed[2], const struct hash128 *keys, uint64_t count,
                     struct hash128 *rows, dpset_prf *prf)
{
    for (uint64_t i = 0; i < count; i++)
        rows[i] = row_of(dpset, seed, keys[i], prf);
}

#endif
