/* SPDX-License-Identifier: MIT */
/*
 * Queries over partitions of cells (positions.h), inlined into the kinds that have them. A cell is a bit or a counter
 * of 4 bits; a key is found when none of its k cells is zero. All of them are read unless early exit was asked for, so
 * that the time of a query does not tell where it failed.
 */
#ifndef UF_CELLS_H
#define UF_CELLS_H

#include "positions.h"
#include "spare.h"

/* Bits of a cell: always a constant, and what is handed through the loops as their variant. */
enum { CELL_BIT = 1, CELL_COUNTER = 4 };

/* Words, 512 KiB, of an array whose cells are near enough that fetching them ahead costs more than it gains. */
enum { CELLS_NEAR = 1 << 16 };

INLINE int cells_are_near(const struct positions *view, unsigned cell)
{
    return view->k * view->stride <= CELLS_NEAR * (64 / cell);
}

/* Bit 0 is set when cell `at` is not zero; the other bits mean nothing. */
INLINE uint64_t cell_is_used(const uint64_t *words, uint64_t at, unsigned cell)
{
    uint64_t word = __atomic_load_n(&words[at / (64 / cell)], __ATOMIC_RELAXED) >> at % (64 / cell) * cell;
    return cell == CELL_BIT ? word : (word & 15) != 0;
}

/* An early exit comes after two cells, which are read at the same time: when half of all cells are used, a processor
 * that expects it there is right three times in four, after one cell only every second time. */
INLINE int cells_find(const struct positions *view, struct hash128 hash, unsigned cell, int early_exit)
{
    const uint64_t *partition = view->words;
    uint64_t all = 1;
    for (unsigned i = 0; i < view->k; i++, partition += view->stride / (64 / cell)) {
        all &= cell_is_used(partition, position_within(view, hash, i), cell);
        if (early_exit && i % 2 && !all)
            return 0;
    }
    return (int)(all & 1);
}

/* The same in an array with narrow partitions, found in pairs (positions.h). Unrolled where k is a constant. */
INLINE int cells_find_pairs(const struct positions *view, struct hash128 hash, unsigned k, unsigned cell,
                            int early_exit)
{
    const uint64_t *partition = view->words;
    uint64_t stride = view->stride / (64 / cell), all = 1, x = hash.lo, step = hash.hi | 1;
#pragma GCC unroll 8
    for (unsigned i = 0; i < k; i += 2, x += step, partition += 2 * stride) {
        uint64_t y = position_mix(x);
        all &= cell_is_used(partition, position_upper(view, y), cell);
        if (i + 1 < k)
            all &= cell_is_used(partition + stride, position_lower(view, y), cell);
        if (early_exit && !all)
            return 0;
    }
    return (int)(all & 1);
}

INLINE int cells_query(const struct positions *view, struct hash128 hash, unsigned cell, int early_exit)
{
    if (view->part >= POSITIONS_NARROW)
        return early_exit ? cells_find(view, hash, cell, 1) : cells_find(view, hash, cell, 0);
    if (early_exit)
        return view->k == 7 ? cells_find_pairs(view, hash, 7, cell, 1) : cells_find_pairs(view, hash, view->k, cell, 1);
    if (view->k == 7)
        return cells_find_pairs(view, hash, 7, cell, 0);
    return view->k == 10 ? cells_find_pairs(view, hash, 10, cell, 0) : cells_find_pairs(view, hash, view->k, cell, 0);
}

/* 1 when none of the cells at these positions is zero. */
INLINE uint64_t cells_all(const struct positions *view, const uint64_t *position, unsigned cell)
{
    uint64_t all = 1;
#pragma GCC unroll 8
    for (unsigned i = 0; i < view->k; i++)
        all &= cell_is_used(view->words, position[i], cell);
    return all & 1;
}

/* ---- inserts within what is spare: the measure is the number of cells that are used ---- */

struct cells_within {
    struct positions view; /* first: position_prepare knows only this */
    struct spare *spare;
};

/* Takes what a key needs, which is *fresh cells; they become no more while other threads insert. Returns 0 when that is
 * not spare. */
INLINE int cells_take(const struct positions *view, const uint64_t *position, struct spare *spare, unsigned cell,
                      int among_others, unsigned *fresh)
{
    *fresh = 0;
    for (unsigned i = 0; i < view->k; i++)
        *fresh += !(cell_is_used(view->words, position[i], cell) & 1);
    return !*fresh || spare_take(spare, *fresh, among_others);
}

/* Gives back what other threads have paid for, and returns the verdict: of `fresh` cells this key was first at `set`.
 */
INLINE int8_t cells_taken(struct spare *spare, unsigned fresh, unsigned set, int among_others)
{
    if (among_others && set < fresh)
        spare_return(spare, !set, fresh - set);
    return set > 0;
}

INLINE void cells_test(const void *self, const void *slot, size_t index, void *out, unsigned cell)
{
    ((uint8_t *)out)[index] = (uint8_t)cells_all(self, slot, cell);
}

/*
 * Early exit in arrays that are far: the first two cells of many keys are fetched, then tested, and the others only of
 * those keys that both leave open, a quarter of all misses when half of all cells are used. No processor has to guess
 * which. At 1 %, ns per key on a Neoverse-N1, misses and hits: 33 and 78 with 10^7 keys, 40 and 91 with 10^8; where a
 * key is left at the first cell that is zero, 67 and 146 with 10^7.
 */
INLINE void cells_query_early_far(struct positions view, struct hash_source *source, size_t count, uint8_t *answers,
                                  unsigned cell)
{
    struct hash128 hash[TILE_SLOTS];
    struct position_slots slots; /* two of each key at first, then all of those that are open */
    uint8_t open[TILE_SLOTS];
    size_t step = position_slot_bytes(&view) / sizeof(uint64_t), size;
    for (; count; count -= size, answers += size) {
        uint64_t *position = slots.position;
        size_t left = 0;
        size = count < TILE_SLOTS ? count : TILE_SLOTS;
        source->fill(source, hash, size);
        for (size_t i = 0; i < size; i++, position += 2) {
            position[0] = position_within(&view, hash[i], 0);
            position[1] = view.k > 1 ? view.stride + position_within(&view, hash[i], 1) : position[0];
            prefetch_read(&view.words[position[0] / (64 / cell)]);
            prefetch_read(&view.words[position[1] / (64 / cell)]);
        }
        position = slots.position;
        for (size_t i = 0; i < size; i++, position += 2) {
            uint64_t both = cell_is_used(view.words, position[0], cell) & cell_is_used(view.words, position[1], cell);
            answers[i] = 0;
            open[left] = (uint8_t)i;
            left += both & 1;
        }
        position = slots.position;
        for (size_t i = 0; i < left; i++, position += step) {
            position_all(&view, hash[open[i]], position);
            for (unsigned j = 2; j < view.k; j++)
                prefetch_read(&view.words[position[j] / (64 / cell)]);
        }
        position = slots.position;
        for (size_t i = 0; i < left; i++, position += step)
            answers[open[i]] = (uint8_t)cells_all(&view, position, cell);
    }
}

INLINE void cells_keep_hash(const void *self, struct hash128 hash, void *slot, unsigned cell)
{
    (void)self, (void)cell;
    *(struct hash128 *)slot = hash;
}

/* Arrays that are near: a cell is read as soon as its position is known, and none is fetched ahead. At 1 %, ns per key
 * on a Neoverse-N1: 19.8 with 10^4 keys (28 with fetches, 22.4 one by one), 25 with 5 x 10^5 (30), 34.5 with 10^6 (31).
 */
INLINE void cells_test_near(const void *self, const void *slot, size_t index, void *out, unsigned cell)
{
    const struct positions *view = self;
    ((uint8_t *)out)[index] = (uint8_t)cells_find_pairs(view, *(const struct hash128 *)slot, view->k, cell, 0);
}

INLINE void cells_query_near(struct positions view, unsigned k, struct hash_source *source, size_t count,
                             uint8_t *answers, unsigned cell)
{
    struct hash128 slots[TILE_SLOTS];
    view.k = k; /* a constant in some calls, for which the loop is unrolled */
    tiles_apart(&view, source, count, slots, sizeof slots[0], cells_keep_hash, cells_test_near, answers, cell);
}

INLINE void cells_test_early(const void *self, const void *slot, size_t index, void *out, unsigned cell)
{
    ((uint8_t *)out)[index] = (uint8_t)cells_query(self, *(const struct hash128 *)slot, cell, 1);
}

INLINE void cells_query_early(struct positions view, struct hash_source *source, size_t count, uint8_t *answers,
                              unsigned cell)
{
    struct hash128 slots[TILE_SLOTS];
    if (cells_are_near(&view, cell))
        tiles_apart(&view, source, count, slots, sizeof slots[0], cells_keep_hash, cells_test_early, answers, cell);
    else
        cells_query_early_far(view, source, count, answers, cell);
}

INLINE void cells_query_many(struct positions view, struct hash_source *source, size_t count, uint8_t *answers,
                             unsigned cell, int early_exit)
{
    if (early_exit)
        cells_query_early(view, source, count, answers, cell);
    else if (!POSITIONS_AHEAD || !cells_are_near(&view, cell))
        positions_run(&view, source, count, cells_test, answers, cell);
    else if (view.k == 7)
        cells_query_near(view, 7, source, count, answers, cell);
    else if (view.k == 10)
        cells_query_near(view, 10, source, count, answers, cell);
    else
        cells_query_near(view, view.k, source, count, answers, cell);
}

#endif
