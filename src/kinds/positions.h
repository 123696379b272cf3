/* SPDX-License-Identifier: MIT */
/*
 * Where the k positions of a key are, for every kind whose array is k partitions: bits, counters, whatever a cell is.
 *
 * Each partition has `part` cells and starts on a word; a key has one cell in every partition. So its k positions are
 * distinct whatever the hash says, the partitions are independent, and rates are exact (core/rates.h). A position is a
 * number of cells from the start of the array:
 *
 *     position i of key h = i * stride +
 *         part < 2^28:   (half * part) >> 32,  half = the upper (even i) or lower (odd i) half of y(floor(i / 2))
 *         otherwise:     (y(i) * part) >> 64
 *     y(j) = (x ^ x >> 32) * ODD,  x = h.lo + j * (h.hi | 1)
 *
 * The scramble y breaks the arithmetic progression x: without it two keys that agree in (lo, hi) to log2(part) bits
 * would share all k positions, a floor of about n k^2 / part^2 on the rate (5e-4 at n = 1000, fpr = 1e-6). hi | 1 makes
 * the arguments of the scramble distinct for every hash, crafted ones too. Halves save multiplications; with 2^28 cells
 * the positions are still even to one part in 16, which moves the rate by less than 1/1000 of itself.
 */
#ifndef UF_POSITIONS_H
#define UF_POSITIONS_H

#include "arith.h"
#include "tiles.h"

enum { POSITIONS_MOST_K = 64 };

/* What the loops need to know: a local copy of it stays in registers. */
struct positions {
    uint64_t *words;
    uint64_t part;   /* cells of a partition */
    uint64_t stride; /* cells from the start of one partition to that of the next: whole words */
    unsigned k;      /* 1 to POSITIONS_MOST_K */
    unsigned shift;  /* 2^shift cells are a word; 0: lines are not fetched ahead */
};

/* Whether lines are fetched on this machine where no path of its own is taken (bloom_avx2.c). */
#ifdef __aarch64__
#define POSITIONS_AHEAD 1
#else
#define POSITIONS_AHEAD 0
#endif

/* Words, 4 MiB, that inserts need not fetch: the third cache level is near enough for stores. */
enum { POSITIONS_NEAR = 1 << 19 };

#define POSITIONS_NARROW (UINT64_C(1) << 28)
#define POSITIONS_ODD UINT64_C(0x9e3779b97f4a7c15)

/* y of the formula: of x, and y(j). */
INLINE uint64_t position_mix(uint64_t x)
{
    return (x ^ x >> 32) * POSITIONS_ODD;
}

INLINE uint64_t position_scramble(struct hash128 hash, unsigned j)
{
    return position_mix(hash.lo + j * (hash.hi | 1));
}

/* The two positions that one y gives in narrow partitions, each from the start of its own. */
INLINE uint64_t position_upper(const struct positions *view, uint64_t y)
{
    return (y >> 32) * view->part >> 32;
}

INLINE uint64_t position_lower(const struct positions *view, uint64_t y)
{
    return (y & UINT32_MAX) * view->part >> 32;
}

/* Position i of a key, from the start of its partition: for loops over one key, which step from partition to partition.
 */
INLINE uint64_t position_within(const struct positions *view, struct hash128 hash, unsigned i)
{
    if (view->part < POSITIONS_NARROW)
        return (position_scramble(hash, i / 2) >> 32 * (~i & 1) & UINT32_MAX) * view->part >> 32;
    return mul_high(position_scramble(hash, i), view->part);
}

/* All positions of a key. They are found in pairs: `out` has room for k rounded up to an even number. */
INLINE void position_all(const struct positions *view, struct hash128 hash, uint64_t *out)
{
    uint64_t base = 0, stride = view->stride;
    if (view->part < POSITIONS_NARROW)
        for (unsigned i = 0; i < view->k; i += 2, base += 2 * stride) {
            uint64_t y = position_scramble(hash, i / 2);
            out[i] = base + position_upper(view, y);
            out[i + 1] = base + stride + position_lower(view, y); /* one too many when k is odd */
        }
    else
        for (unsigned i = 0; i < view->k; i++, base += stride)
            out[i] = base + mul_high(position_scramble(hash, i), view->part);
}

/* The same for loops over tiles (tiles.h): `self` is a struct positions, or starts with one, and a slot of
 * position_slot_bytes holds the positions of a key. The slots start on a cache line: where they happened not to,
 * queries at k = 10 took 43 ns instead of 39. */
struct position_slots {
    _Alignas(64) uint64_t position[TILE_SLOTS * POSITIONS_MOST_K];
};

INLINE size_t position_slot_bytes(const struct positions *view)
{
    return (view->k + 1) / 2 * 2 * sizeof(uint64_t);
}

INLINE void position_prepare(const void *self, struct hash128 hash, void *slot, unsigned variant)
{
    (void)variant;
    position_all(self, hash, slot);
}

INLINE void position_fetch(const void *self, const void *slot, unsigned variant)
{
    const struct positions *view = self;
    const uint64_t *position = slot;
    (void)variant;
    for (unsigned i = 0; i < view->k; i++)
        prefetch_read(&view->words[position[i] >> view->shift]);
}

INLINE void positions_loop(struct positions *view, unsigned k, struct hash_source *source, size_t count, tile_use *use,
                           void *out, unsigned variant)
{
    struct position_slots slots;
    view->k = k; /* a constant in some calls, for which the loop is unrolled */
    struct tile_steps steps = {position_prepare, position_fetch, use};
    if (POSITIONS_AHEAD && view->shift)
        tiles_ahead(view, source, count, &slots, position_slot_bytes(view), steps, out, variant);
    else
        tiles_apart(view, source, count, &slots, position_slot_bytes(view), position_prepare, use, out, variant);
}

/* Does `use` with the positions of the next `count` keys. `view` is a local copy, or the start of one that knows more:
 * what `use` gets as `self`. The k of 1 % and of 0.1 % get loops of their own, the others share one. */
INLINE void positions_run(struct positions *view, struct hash_source *source, size_t count, tile_use *use, void *out,
                          unsigned variant)
{
    if (view->k == 7)
        positions_loop(view, 7, source, count, use, out, variant);
    else if (view->k == 10)
        positions_loop(view, 10, source, count, use, out, variant);
    else
        positions_loop(view, view->k, source, count, use, out, variant);
}

/* The same for inserts, which tell what they found only where `verdict` is not NULL: a loop of its own that does not.
 */
INLINE void positions_add(struct positions *view, struct hash_source *source, size_t count, tile_use *use,
                          int8_t *verdict, unsigned variant)
{
    if (verdict)
        positions_run(view, source, count, use, verdict, variant);
    else
        positions_run(view, source, count, use, NULL, variant);
}

INLINE int positions_use_one(struct positions *view, unsigned k, struct hash128 hash, tile_use *use, unsigned variant)
{
    uint64_t position[POSITIONS_MOST_K];
    int8_t verdict = 0;
    view->k = k; /* as in positions_loop */
    position_all(view, hash, position);
    use(view, position, 0, &verdict, variant);
    return verdict;
}

/* One key, and its verdict. `view` is a local copy, as for positions_run. */
INLINE int positions_add_one(struct positions *view, struct hash128 hash, tile_use *use, unsigned variant)
{
    if (view->k == 7)
        return positions_use_one(view, 7, hash, use, variant);
    return view->k == 10 ? positions_use_one(view, 10, hash, use, variant)
                         : positions_use_one(view, view->k, hash, use, variant);
}

#endif
