/* SPDX-License-Identifier: MIT */
/* What a dpset says about a key, for the files that have a way to compute AES. */
#ifndef UF_DPSET_QUERY_H
#define UF_DPSET_QUERY_H

#include "dpset.h"
#include "dpset_radix.h"
#include "linear_eight.h"
#include "tiles.h"

/* Where a group's bits for a row begin. */
INLINE const uint64_t *first_word(const struct dpset_group *group, const struct located *found, uint32_t *off)
{
    uint32_t start = shards_scale(found->row.lo, group->slots - DPSET_BAND + 1);
    *off = start % 64;
    return found->words + group->offset + start / 64 * group->columns;
}

/* The bits that a group stores for a row; more than its columns may be set. From `off` on the coefficient is that of
 * the first segment, below it that of the second. */
INLINE uint64_t stored_bits(const struct dpset_group *group, const struct located *found)
{
    uint32_t off;
    const uint64_t *a = first_word(group, found, &off);
    uint64_t c = found->row.hi | 1, turned = c << off | c >> 1 >> (63 - off), below = ~(UINT64_MAX << off), bits = 0;
    const uint64_t *b = off ? a + group->columns : a; /* past the end otherwise, perhaps */
    for (unsigned j = 0; j < group->columns; j += 8) {
        struct linear_eight both = linear_select8(below, linear_load8(b + j), linear_load8(a + j));
        bits |= linear_parity8(linear_and8(both, turned)) << j;
    }
    return bits;
}

/* Compares the number with `accept` from the highest group down, until they differ. */
INLINE int binary_accepts(const struct dpset *dpset, const struct located *found)
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

INLINE int accepts(const struct dpset *dpset, const struct located *found)
{
    return dpset->variant == DPSET_RADIX ? radix_accepts(dpset, found->row, found->words)
                                         : binary_accepts(dpset, found);
}

INLINE struct located locate(const struct uf_filter *filter, struct hash128 hash)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    uint32_t shard = shards_scale(hash.hi, dpset->shards);
    const uint64_t *seed = filter->words + DPSET_SEED_WORDS * (size_t)shard;
    return (struct located){{hash.lo ^ seed[0], hash.hi ^ seed[1]}, dpset_shard(filter, shard)};
}

INLINE void fetch_binary(const struct dpset_group *group, const struct located *found)
{
    uint32_t off;
    const uint64_t *at = first_word(group, found, &off);
    const uint64_t *end = at + group->columns + (group->columns + 7) / 8 * 8; /* past the last, up to 7 are masked */
    for (const uint64_t *line = at; line < end; line += 8)
        prefetch_read(line);
    prefetch_read(end - 1);
}

INLINE void fetch_radix(const struct dpset *dpset, const struct located *found)
{
    const struct digits *digits = &dpset->digits[0];
    uint32_t pack = (uint32_t)((uint64_t)radix_row(dpset, 0, found->row).start * digits->per_pack >> 31);
    const unsigned char *at =
        (const unsigned char *)(found->words + dpset->group[0].offset) + (uint64_t)pack * digits->bits / 8;
    for (uint32_t line = 0; line < dpset->row_bytes; line += 64)
        prefetch_read(at + line);
    prefetch_read(at + dpset->row_bytes);
}

/* The first group decides nearly all non-members. Of binary columns. */
INLINE void fetch(const void *self, const void *slot, unsigned variant)
{
    (void)variant;
    fetch_binary(CONST_PARAMS(struct dpset, (const struct uf_filter *)self)->group, slot);
}

/* ---- many keys ---- */

enum { BATCH = 16, BATCHES = 3 };

typedef void encrypt_many(const struct aes_key *key, struct hash128 *block, size_t count);

INLINE void find_many(const struct uf_filter *filter, struct hash128 *hash, size_t count, struct located *found,
                      encrypt_many *encrypt)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    if (dpset->mixed)
        encrypt(&dpset->key, hash, count);
    for (size_t i = 0; i < count; i++) {
        found[i] = locate(filter, hash[i]);
        hash[i] = found[i].row;
    }
    encrypt(&dpset->key, hash, count);
    for (size_t i = 0; i < count; i++)
        found[i].row = hash[i];
}

INLINE void answer_many(const struct dpset *dpset, const struct located *found, size_t count, uint8_t *answers)
{
    if (dpset->variant == DPSET_RADIX)
        radix_accepts_many(dpset, found, count, answers);
    for (size_t i = 0; i < count && dpset->variant != DPSET_RADIX; i++)
        answers[i] = (uint8_t)binary_accepts(dpset, &found[i]);
}

/* Keys are found and fetched two batches before they are answered, as in tiles.h. */
INLINE void query_in_batches(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers,
                             encrypt_many *encrypt)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    struct hash128 hash[BATCH];
    struct located found[BATCHES][BATCH];
    for (size_t first = 0, done = 0; done < count; first += BATCH) {
        size_t size = first >= count ? 0 : count - first < BATCH ? count - first : BATCH;
        struct located *now = found[first / BATCH % BATCHES];
        if (size) {
            source->fill(source, hash, size);
            find_many(filter, hash, size, now, encrypt);
        }
        if (first >= (BATCHES - 1) * BATCH) {
            size_t old = count - done < BATCH ? count - done : BATCH;
            answer_many(dpset, found[done / BATCH % BATCHES], old, answers + done);
            done += old;
        }
        for (size_t i = 0; i < size; i++)
            if (dpset->variant == DPSET_RADIX)
                fetch_radix(dpset, &now[i]);
            else
                fetch_binary(dpset->group, &now[i]);
    }
}

#endif
