/* SPDX-License-Identifier: MIT */
/* blocked, inserts by several threads at once: without a limit, and within what is spare. */
#include "blocked_words.h"

#include <sched.h>

INLINE int insert_atomic(uint64_t *block, uint64_t lo, unsigned k)
{
    uint64_t mask[BLOCK_WORDS], missing = 0;
    mask_of(lo, k, mask);
    for (unsigned j = 0; j < BLOCK_WORDS; j++)
        if (mask[j] & ~__atomic_load_n(&block[j], __ATOMIC_RELAXED)) /* most bits of a full filter are set */
            missing |= mask[j] & ~__atomic_fetch_or(&block[j], mask[j], __ATOMIC_RELAXED);
    return missing != 0;
}

INLINE void set_atomic(const void *self, const void *slot, size_t index, void *out, unsigned k)
{
    const struct blocked_slot *found = slot;
    (void)self;
    int fresh = insert_atomic(found->block, found->lo, k);
    if (out)
        ((int8_t *)out)[index] = (int8_t)fresh;
}

INLINE void add_shared(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict, unsigned k)
{
    struct blocked_view view = blocked_view_of(filter);
    struct tile_steps steps = {blocked_prepare, blocked_fetch_to_write, set_atomic};
    if (verdict)
        blocked_tiles(&view, source, count, steps, verdict, k);
    else
        blocked_tiles(&view, source, count, steps, NULL, k);
}

void blocked_add_shared(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    if (CONST_PARAMS(struct blocked, filter)->k == 8)
        add_shared(filter, source, count, verdict, 8);
    else
        add_shared(filter, source, count, verdict, 16);
}

/* ---- within what is spare, among other threads ---- */

/* A block changes whole or not at all, so that the sum of all shares stays exact. */
static int insert_locked(struct uf_filter *filter, struct hash128 hash, struct spare *spare)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    uint64_t at = mul_high(hash.hi, blocked->blocks), *block = filter->words + at * BLOCK_WORDS, grows;
    unsigned char *lock = &filter->capacity.lock[at % CAPACITY_LOCKS];
    int verdict = 0;
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    if (!(blocked->k == 8 ? contains(block, hash.lo, 8) : contains(block, hash.lo, 16))) {
        grows =
            blocked->k == 8 ? growth(block, hash.lo, 8, blocked->scale) : growth(block, hash.lo, 16, blocked->scale);
        verdict = spare_take(spare, grows, 1) ? 1 : UF_EFULL;
    }
    if (verdict == 1)
        (void)(blocked->k == 8 ? insert_atomic(block, hash.lo, 8) : insert_atomic(block, hash.lo, 16));
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
    return verdict;
}

int blocked_add_one_locked(struct uf_filter *filter, struct hash128 hash, struct spare *spare)
{
    return filter->calls.query(filter, hash) ? 0 : insert_locked(filter, hash, spare);
}

void blocked_add_locked(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                        struct spare *spare)
{
    struct hash128 hash[TILE_SLOTS];
    uint8_t known[TILE_SLOTS];
    for (size_t done = 0, step; done < count; done += step) {
        step = count - done < TILE_SLOTS ? count - done : TILE_SLOTS;
        source->fill(source, hash, step);
        struct hash_source ready = source_of_hashes(hash);
        filter->calls.query_many(filter, &ready, step, known);
        for (size_t i = 0; i < step; i++)
            verdict[done + i] = (int8_t)(known[i] ? 0 : insert_locked(filter, hash[i], spare));
    }
}
