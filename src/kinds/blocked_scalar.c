/* SPDX-License-Identifier: MIT */
/* blocked, the specification: see blocked.h. Runs everywhere. */
#include "blocked.h"

/* The bits of a key within its block. */
INLINE void mask_of(uint64_t lo, unsigned k, uint64_t mask[BLOCK_WORDS])
{
    uint64_t more = blocked_more(lo);
    for (unsigned j = 0; j < BLOCK_WORDS; j++) {
        if (k == 8)
            mask[j] = UINT64_C(1) << (lo >> 8 * j & 63);
        else {
            uint64_t bytes = (j < 4 ? lo : more) >> 16 * (j % 4);
            mask[j] = UINT64_C(1) << (bytes & 31) | UINT64_C(1) << (32 + (bytes >> 8 & 31));
        }
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
    struct blocked_slot slots[TILE_SLOTS];
    struct blocked_view view = blocked_view_of(filter);
    struct tile_steps steps = {blocked_prepare, blocked_fetch_to_write, set_atomic};
    if (CONST_PARAMS(struct blocked, filter)->k == 8)
        tiles_run(&view, source, count, slots, sizeof slots[0], steps, NULL, 8);
    else
        tiles_run(&view, source, count, slots, sizeof slots[0], steps, NULL, 16);
}
