/* SPDX-License-Identifier: MIT */
/*
 * bloom on AVX2: as everywhere, but the lines of keys to come are fetched. A load that misses holds one of some 16 line
 * buffers until its line is there, a prefetch to the second cache level does not; other processors are better off
 * without (tiles_apart in tiles.h). This file is compiled for AVX2; nothing in it runs before the machine was asked.
 */
#include "bloom.h"

#if defined(__AVX2__)

/* k: of the filter, a constant in some calls. */
INLINE void run_k(struct positions view, struct hash_source *source, size_t count, tile_use *use, void *out, unsigned k,
                  unsigned variant)
{
    struct position_slots slots;
    struct tile_steps steps = {position_prepare, position_fetch, use};
    view.k = k;
    tiles_run(&view, source, count, &slots, position_slot_bytes(&view), steps, out, variant);
}

INLINE void run(struct positions view, struct hash_source *source, size_t count, tile_use *use, void *out,
                unsigned variant)
{
    if (view.k == 7)
        run_k(view, source, count, use, out, 7, variant);
    else
        run_k(view, source, count, use, out, view.k, variant);
}

static void query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct positions view = partitions_view(CONST_PARAMS(struct partitions, filter), filter->words);
    if (filter->early_exit || !bloom_is_far(filter))
        cells_query_many(view, source, count, answers, CELL_BIT, filter->early_exit);
    else
        run(view, source, count, cells_test, answers, CELL_BIT);
}

static void add_many(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    struct positions view = partitions_view(CONST_PARAMS(struct partitions, filter), filter->words);
    if (!bloom_is_far(filter))
        bitarray_add_many(view, source, count, verdict, SET);
    else if (verdict)
        run(view, source, count, bitarray_set, verdict, SET);
    else
        run(view, source, count, bitarray_set, NULL, SET);
}

const struct bloom_calls bloom_avx2 = {query_many, add_many};

#else

const struct bloom_calls bloom_avx2;

#endif
