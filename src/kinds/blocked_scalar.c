/* SPDX-License-Identifier: MIT */
/* blocked, the specification: see blocked.h. Runs everywhere. */
#include "blocked.h"

/* The bits of a key within its block. */
INLINE void mask_of(uint64_t lo, unsigned k, uint64_t mask[BLOCK_WORDS])
{
    uint32_t group[4];
    if (k == 8) {
        for (unsigned j = 0; j < 8; j++)
            mask[j] = UINT64_C(1) << (lo >> 6 * j & 63);
        return;
    }
    blocked_groups(lo, group);
    for (unsigned j = 0; j < 8; j++) {
        unsigned even = group[j / 2] >> 10 * (j % 2) & 31, odd = group[j / 2] >> (10 * (j % 2) + 5) & 31;
        mask[j] = UINT64_C(1) << even | UINT64_C(1) << (32 + odd);
    }
}

INLINE int contains(const uint64_t *block, uint64_t lo, unsigned k)
{
    uint64_t mask[BLOCK_WORDS], missing = 0;
    mask_of(lo, k, mask);
    for (unsigned j = 0; j < BLOCK_WORDS; j++)
        missing |= mask[j] & ~__atomic_load_n(&block[j], __ATOMIC_RELAXED);
    return !missing;
}

INLINE void add(uint64_t *block, uint64_t lo, unsigned k)
{
    uint64_t mask[BLOCK_WORDS];
    mask_of(lo, k, mask);
    for (unsigned j = 0; j < BLOCK_WORDS; j++)
        block[j] |= mask[j];
}

INLINE void add_atomic(uint64_t *block, uint64_t lo, unsigned k)
{
    uint64_t mask[BLOCK_WORDS];
    mask_of(lo, k, mask);
    for (unsigned j = 0; j < BLOCK_WORDS; j++)
        if (mask[j] & ~__atomic_load_n(&block[j], __ATOMIC_RELAXED)) /* most bits of a full filter are set */
            __atomic_fetch_or(&block[j], mask[j], __ATOMIC_RELAXED);
}

#include "blocked_path.h"

const struct filter_calls blocked_scalar[2] = BLOCKED_PATHS;

INLINE void set_atomic(const void *self, const void *slot, size_t index, void *out, unsigned k)
{
    const struct blocked_slot *found = slot;
    (void)self, (void)index, (void)out;
    add_atomic(found->block, found->lo, k);
}

void blocked_insert_shared(struct uf_filter *filter, struct hash_source *source, size_t count)
{
    struct blocked_slot slots[TILE];
    struct blocked_view view = blocked_look(filter);
    if (CONST_PARAMS(struct blocked, filter)->k == 8)
        tiles_run(&view, source, count, slots, sizeof slots[0], blocked_to_write, set_atomic, NULL, 8);
    else
        tiles_run(&view, source, count, slots, sizeof slots[0], blocked_to_write, set_atomic, NULL, 16);
}
