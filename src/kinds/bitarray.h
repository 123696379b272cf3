/* SPDX-License-Identifier: MIT */
/* Inserts that set bits, for the kinds whose cells are bits that nobody clears (queries: cells.h). */
#ifndef UF_BITARRAY_H
#define UF_BITARRAY_H

#include "cells.h"
#include "scatter.h"

/* Alone, or among other threads. */
enum { SET, SET_ATOMIC };

/* Sets the bit at a position and returns what its word was. */
INLINE uint64_t bitarray_put(uint64_t *words, uint64_t position, unsigned how)
{
    uint64_t *word = &words[position / 64], bit = UINT64_C(1) << position % 64, old;
    if (how == SET_ATOMIC)
        return __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    old = *word;
    *word = old | bit;
    return old;
}

/* out: NULL, or the verdicts. */
INLINE void bitarray_set(const void *self, const void *slot, size_t index, void *out, unsigned how)
{
    const struct positions *view = self;
    const uint64_t *position = slot;
    uint64_t known = 1;
#pragma GCC unroll 8
    for (unsigned i = 0; i < view->k; i++)
        known &= bitarray_put(view->words, position[i], how) >> position[i] % 64;
    if (out)
        ((int8_t *)out)[index] = (int8_t)(~known & 1);
}

INLINE void bitarray_set_within(const void *self, const void *slot, size_t index, void *out, unsigned how)
{
    const struct cells_within *within = self;
    const uint64_t *position = slot;
    unsigned fresh, set = 0;
    int8_t *verdict = (int8_t *)out + index;
    *verdict = UF_EFULL;
    if (!cells_take(&within->view, position, within->spare, CELL_BIT, how == SET_ATOMIC, &fresh))
        return;
    for (unsigned i = 0; fresh && i < within->view.k; i++)
        set += (unsigned)(~bitarray_put(within->view.words, position[i], how) >> position[i] % 64) & 1;
    *verdict = cells_taken(within->spare, fresh, set, how == SET_ATOMIC);
}

INLINE void bitarray_add_within(struct positions view, struct hash_source *source, size_t count, int8_t *verdict,
                                struct spare *spare, int shared)
{
    struct cells_within within = {view, spare};
    if (shared)
        positions_run(&within.view, source, count, bitarray_set_within, verdict, SET_ATOMIC);
    else
        positions_run(&within.view, source, count, bitarray_set_within, verdict, SET);
}

INLINE int bitarray_add_one_within(struct positions view, struct hash128 hash, struct spare *spare, int shared)
{
    struct cells_within within = {view, spare};
    return shared ? positions_add_one(&within.view, hash, bitarray_set_within, SET_ATOMIC)
                  : positions_add_one(&within.view, hash, bitarray_set_within, SET);
}

INLINE void bitarray_add_many(struct positions view, struct hash_source *source, size_t count, int8_t *verdict,
                              unsigned how)
{
    positions_add(&view, source, count, bitarray_set, verdict, how);
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

INLINE void bitarray_use_item(const void *words, const struct item *item, unsigned variant)
{
    (void)variant;
    ((uint64_t *)words)[item->place] |= item->what;
}

INLINE void bitarray_apply(uint64_t *words, const struct item *items, size_t count)
{
    apply_run(words, items, count, apply_find_word, bitarray_use_item, 0);
}

#endif
