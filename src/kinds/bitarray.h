/* SPDX-License-Identifier: MIT */
/*
 * Queries and inserts over partitions of single bits (positions.h), inlined into the kinds that have them. A key is
 * found when all its k bits are set. All of them are read unless early exit was asked for, so that the time of a query
 * does not tell where it failed.
 */
#ifndef UF_BITARRAY_H
#define UF_BITARRAY_H

#include "positions.h"
#include "scatter.h"

/* How an insert sets bits: alone, or among other threads. */
enum { SET, SET_ATOMIC };

/* ---- queries ---- */

INLINE int bitarray_find(const struct positions *view, struct hash128 hash, int early_exit)
{
    const uint64_t *partition = view->words;
    uint64_t all = 1;
    for (unsigned i = 0; i < view->k && (all || !early_exit); i++, partition += view->stride / 64) {
        uint64_t at = position_within(view, hash, i);
        all &= __atomic_load_n(&partition[at / 64], __ATOMIC_RELAXED) >> at % 64;
    }
    return (int)(all & 1);
}

INLINE int bitarray_query(const struct positions *view, struct hash128 hash, int early_exit)
{
    return early_exit ? bitarray_find(view, hash, 1) : bitarray_find(view, hash, 0);
}

/* 1 when all the bits at these positions are set. */
INLINE uint64_t bitarray_all(const struct positions *view, const uint64_t *position)
{
    uint64_t all = 1;
    for (unsigned i = 0; i < view->k; i++)
        all &= __atomic_load_n(&view->words[position[i] / 64], __ATOMIC_RELAXED) >> position[i] % 64;
    return all & 1;
}

INLINE void bitarray_test(const void *self, const void *slot, size_t index, void *out, unsigned variant)
{
    (void)variant;
    ((uint8_t *)out)[index] = (uint8_t)bitarray_all(self, slot);
}

/* Early exit: the bits are found one by one as they are needed. */
INLINE void bitarray_keep_hash(const void *self, struct hash128 hash, void *slot, unsigned variant)
{
    (void)self, (void)variant;
    *(struct hash128 *)slot = hash;
}

INLINE void bitarray_test_in_turn(const void *self, const void *slot, size_t index, void *out, unsigned variant)
{
    (void)variant;
    ((uint8_t *)out)[index] = (uint8_t)bitarray_find(self, *(const struct hash128 *)slot, 1);
}

INLINE void bitarray_query_all(struct positions view, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct position_slots slots;
    tiles_apart(&view, source, count, &slots, position_slot_bytes(&view), position_prepare, bitarray_test, answers, 0);
}

INLINE void bitarray_query_early(struct positions view, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct hash128 slots[TILE_SLOTS];
    tiles_apart(&view, source, count, slots, sizeof slots[0], bitarray_keep_hash, bitarray_test_in_turn, answers, 0);
}

/* The k of 1 % and of 0.1 % get loops of their own; the others share one. */
INLINE void bitarray_query_many(struct positions view, struct hash_source *source, size_t count, uint8_t *answers,
                                int early_exit)
{
    if (early_exit)
        bitarray_query_early(view, source, count, answers);
    else if (view.k == 7)
        bitarray_query_all(positions_with_k(view, 7), source, count, answers);
    else if (view.k == 10)
        bitarray_query_all(positions_with_k(view, 10), source, count, answers);
    else
        bitarray_query_all(view, source, count, answers);
}

/* ---- inserts ---- */

INLINE void bitarray_set(const void *self, const void *slot, size_t index, void *out, unsigned how)
{
    const struct positions *view = self;
    const uint64_t *position = slot;
    (void)index, (void)out;
    for (unsigned i = 0; i < view->k; i++) {
        uint64_t *word = &view->words[position[i] / 64], bit = UINT64_C(1) << position[i] % 64;
        if (how == SET)
            *word |= bit;
        else
            __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    }
}

INLINE void bitarray_insert_all(struct positions view, struct hash_source *source, size_t count, unsigned how)
{
    struct position_slots slots;
    tiles_apart(&view, source, count, &slots, position_slot_bytes(&view), position_prepare, bitarray_set, NULL, how);
}

INLINE void bitarray_insert_many(struct positions view, struct hash_source *source, size_t count)
{
    if (view.k == 7)
        bitarray_insert_all(positions_with_k(view, 7), source, count, SET);
    else if (view.k == 10)
        bitarray_insert_all(positions_with_k(view, 10), source, count, SET);
    else
        bitarray_insert_all(view, source, count, SET);
}

INLINE void bitarray_insert_shared(struct positions view, struct hash_source *source, size_t count)
{
    bitarray_insert_all(view, source, count, SET_ATOMIC);
}

/* Scattered inserts: a place is a word, and what happens there is one bit set. */
INLINE void bitarray_push(const void *self, struct hash128 hash, const struct scatter *to)
{
    const struct positions *view = self;
    uint64_t position[POSITIONS_MOST_K];
    position_all(view, hash, position);
    for (unsigned i = 0; i < view->k; i++)
        scatter_push(to, position[i] / 64, UINT64_C(1) << position[i] % 64);
}

INLINE void bitarray_scatter(struct positions view, struct hash_source *source, size_t count, const struct scatter *to)
{
    scatter_run(&view, source, count, to, bitarray_push);
}

INLINE void bitarray_apply(uint64_t *words, const struct item *items, size_t count)
{
    for (size_t i = 0; i < count; i += TILE_SLOTS) {
        size_t end = count - i < TILE_SLOTS ? count : i + TILE_SLOTS;
        for (size_t j = i; j < end; j++)
            prefetch_write(&words[items[j].place]);
        for (size_t j = i; j < end; j++)
            words[items[j].place] |= items[j].what;
    }
}

#endif
