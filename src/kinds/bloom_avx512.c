/* SPDX-License-Identifier: MIT */
/*
 * bloom on AVX-512: the positions of eight keys are found at once, and their lines are fetched ahead. The positions
 * (positions.h) of a group lie in rows: row i has position i of each of the eight. This file is compiled for AVX-512;
 * nothing in it runs before the machine was asked.
 */
#include "bloom.h"

#if defined(__AVX512F__)
#include "groups_avx512.h"

struct lanes {
    struct positions view;
    int far; /* bloom_is_far */
};

/* y of the formula, and the next x. */
INLINE __m512i scramble(__m512i *x, __m512i step)
{
    __m512i now = *x;
    *x = _mm512_add_epi64(now, step);
    return _mm512_mullo_epi64(_mm512_xor_si512(now, _mm512_srli_epi64(now, 32)), lanes_of(POSITIONS_ODD));
}

INLINE __m512i narrow(__m512i half, __m512i part, uint64_t base)
{
    return _mm512_add_epi64(_mm512_srli_epi64(_mm512_mul_epu32(half, part), 32), lanes_of(base));
}

INLINE void prepare(const void *self, struct hashes8 hash, void *slots, unsigned variant)
{
    const struct positions *view = &((const struct lanes *)self)->view;
    __m512i x = hash.lo, step = _mm512_or_si512(hash.hi, lanes_of(1)), part = lanes_of(view->part);
    struct factor8 factor = factor8_of(view->part);
    uint64_t *row = slots, base = 0, stride = view->stride;
    (void)variant;
    if (view->part < POSITIONS_NARROW)
        for (unsigned i = 0; i < view->k; i += 2, base += 2 * stride, row += 2 * LANES8) {
            __m512i y = scramble(&x, step);
            _mm512_store_si512(row, narrow(_mm512_srli_epi64(y, 32), part, base));
            _mm512_store_si512(row + LANES8, narrow(y, part, base + stride)); /* one too many when k is odd */
        }
    else
        for (unsigned i = 0; i < view->k; i++, base += stride, row += LANES8)
            _mm512_store_si512(row, _mm512_add_epi64(mul_high8(scramble(&x, step), &factor), lanes_of(base)));
}

INLINE void fetch(const void *self, const void *slot, unsigned variant)
{
    const struct lanes *lanes = self;
    const uint64_t *position = slot;
    (void)variant;
    for (unsigned i = 0; lanes->far && i < lanes->view.k; i++)
        prefetch_read(&lanes->view.words[position[i * LANES8] / 64]);
}

INLINE void test(const void *self, const void *slot, size_t index, void *out, unsigned variant)
{
    const struct positions *view = &((const struct lanes *)self)->view;
    const uint64_t *position = slot;
    uint64_t all = 1;
    (void)variant;
    for (unsigned i = 0; i + 1 < view->k; i += 2)
        all &= cell_is_used(view->words, position[i * LANES8], CELL_BIT) &
               cell_is_used(view->words, position[(i + 1) * LANES8], CELL_BIT);
    if (view->k % 2)
        all &= cell_is_used(view->words, position[(view->k - 1) * LANES8], CELL_BIT);
    ((uint8_t *)out)[index] = (uint8_t)all;
}

/* out: NULL, or the verdicts. */
INLINE void set(const void *self, const void *slot, size_t index, void *out, unsigned variant)
{
    const struct positions *view = &((const struct lanes *)self)->view;
    const uint64_t *position = slot;
    uint64_t known = 1;
    (void)variant;
    for (unsigned i = 0; i < view->k; i++)
        known &= bitarray_put(view->words, position[i * LANES8], SET) >> position[i * LANES8] % 64;
    if (out)
        ((int8_t *)out)[index] = (int8_t)(~known & 1);
}

enum { AHEAD = 2, RING = 4 };

/* k: of the filter, a constant in some calls. */
INLINE void run_k(const struct uf_filter *filter, struct hash_source *source, size_t count, tile_use *use, void *out,
                  unsigned k)
{
    _Alignas(64) uint64_t slots[RING * POSITIONS_MOST_K * LANES8];
    struct lanes lanes = {partitions_view(CONST_PARAMS(struct partitions, filter), filter->words),
                          bloom_is_far(filter)};
    struct group_loop loop = {.self = &lanes,
                              .source = source,
                              .count = count,
                              .slots = (unsigned char *)slots,
                              .group_bytes = (k + 1) / 2 * 2 * LANES8 * sizeof slots[0],
                              .slot_bytes = sizeof slots[0],
                              .ahead = AHEAD,
                              .ring = RING,
                              .steps = {prepare, fetch, use},
                              .out = out};
    lanes.view.k = k;
    if (source->words == WORDS_XXH3)
        groups_run(&loop, WORDS_XXH3);
    else
        groups_run(&loop, WORDS_NONE);
}

/* The k of 1 % and of 0.1 % get loops of their own, as in positions.h. */
INLINE void run(const struct uf_filter *filter, struct hash_source *source, size_t count, tile_use *use, void *out)
{
    unsigned k = CONST_PARAMS(struct partitions, filter)->k;
    if (k == 7)
        run_k(filter, source, count, use, out, 7);
    else if (k == 10)
        run_k(filter, source, count, use, out, 10);
    else
        run_k(filter, source, count, use, out, k);
}

static void query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct positions view = partitions_view(CONST_PARAMS(struct partitions, filter), filter->words);
    if (filter->early_exit)
        cells_query_early(view, source, count, answers, CELL_BIT);
    else
        run(filter, source, count, test, answers);
}

static void add_many(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    if (verdict)
        run(filter, source, count, set, verdict);
    else
        run(filter, source, count, set, NULL);
}

const struct bloom_calls bloom_avx512 = {query_many, add_many};

#else

const struct bloom_calls bloom_avx512;

#endif
