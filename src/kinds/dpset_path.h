/* SPDX-License-Identifier: MIT */
/* dpset with the processor's AES instructions, for the files that are compiled for them. */
#ifndef UF_DPSET_PATH_H
#define UF_DPSET_PATH_H

#include "aes_inline.h"
#include "dpset_query.h"

enum { AT_ONCE = 4 };

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
    ((uint8_t *)out)[index] = (uint8_t)binary_accepts(CONST_PARAMS(struct dpset, filter), slot);
}

static int query(const struct uf_filter *filter, struct hash128 hash)
{
    struct located found = find(filter, hash);
    return accepts(CONST_PARAMS(struct dpset, filter), &found);
}

static __attribute__((noinline)) int query_other(const struct uf_filter *filter, uf_key key)
{
    return query(filter, string_hash(&filter->string, key));
}

static int query_key(const struct uf_filter *filter, uf_key key)
{
    return key.size == 8 ? query(filter, word_hash(&filter->word, key.data)) : query_other(filter, key);
}

/* Several blocks at once: one waits for its rounds. */
static void encrypt(const struct aes_key *key, struct hash128 *block, size_t count)
{
    size_t i = 0;
    for (; i + AT_ONCE <= count; i += AT_ONCE) {
        aes_words x[AT_ONCE];
        for (unsigned j = 0; j < AT_ONCE; j++)
            x[j] = aes_from(block[i + j]);
        aes_rounds(key->round, AES_ROUNDS, x, AT_ONCE);
        for (unsigned j = 0; j < AT_ONCE; j++)
            aes_store(x[j], &block[i + j]);
    }
    for (; i < count; i++)
        block[i] = aes_block(key, block[i]);
}

/* The loop of mixed radix is large, and stands alone. */
static void query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct located slots[TILE_SLOTS];
    struct tile_steps steps = {prepare, fetch, test};
    if (CONST_PARAMS(struct dpset, filter)->variant == DPSET_RADIX) {
        query_in_batches(filter, source, count, answers, encrypt);
        return;
    }
    if (source->words == WORDS_STRINGS) /* hashed ahead: with AES in the same loop that takes 63 ns, not 70 */
        source->words = WORDS_NONE;
    tiles_run(filter, source, count, slots, sizeof slots[0], steps, answers, 0);
}

/* For a build. */
static void rows(const struct dpset *dpset, const uint64_t seed[2], const struct hash128 *keys, uint64_t count,
                 struct hash128 *out)
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = (struct hash128){keys[i].lo ^ seed[0], keys[i].hi ^ seed[1]};
    encrypt(&dpset->key, out, (size_t)count);
}

#define DPSET_PATH                                                               \
    {                                                                            \
        {.query = query, .query_many = query_many, .query_key = query_key}, rows \
    }

#endif
