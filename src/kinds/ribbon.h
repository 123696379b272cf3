/* SPDX-License-Identifier: MIT */
/*
 * ribbon: static, near the space limit. Keys are split over shards; each shard is a system of linear equations
 * (core/linear.h) with one equation per key, row(key) * Z = fingerprint(key), and Z is what is stored. A key that is
 * not in the set satisfies its equation by chance: fpr = 2^-columns.
 *
 *     shard = (H.hi * shards) >> 32, H.hi the upper half of h.hi; the shard's table entry has its place, slots, salt
 *     u = (h.lo ^ (salt << 32 | salt)) * ODD,   y = (h.hi + rotate(u, 32)) * ODD,   z = (h.lo + y) * ODD
 *     start = (upper half of u * starts) >> 32,  starts = slots - band + 1
 *     coefficient = (y ^ y >> 32) | 1, and z ^ u above it when band = 128
 *     fingerprint = z ^ z >> 32;  column j holds its bit j
 *
 * Any fpr, not only powers of two: a key whose upper half of u is among the last `extra` of its 2^32 values has one
 * column more, so fpr = 2^-columns * (1 - extra/2^33). All columns are solved, but since those keys have the highest
 * starts, the last column is stored for the upper slots only.
 *
 * Payload: two words per shard (offset in words from the end of the table; slots | salt << 32), then for each
 * segment of 64 slots one word per column, then 8 zero words, so that queries may read 8 columns at a time.
 * 5 % of spare slots and a band of 64 solve a shard of 8192 keys in 94 of 100 tries; a failed shard gets a new salt.
 * Total: 1.06 * log2(1/fpr) bits per key.
 *
 * Dillinger and Walzer, "Ribbon filter: practically smaller than Bloom and Xor", arXiv 2021.
 */
#ifndef UF_RIBBON_H
#define UF_RIBBON_H

#include "arith.h"
#include "ops.h"
#include "linear.h"
#include "shards.h"

#define RIBBON_MOST_KEYS (UINT64_C(1) << 40)

enum {
    RIBBON_SHARD_KEYS = 8192,
    RIBBON_MOST_COLUMNS = 60,
    RIBBON_PAD_WORDS = 8,
    RIBBON_TABLE_WORDS = 2,
    RIBBON_MOST_SLOTS = 1 << 24 /* far above 8192 keys with the largest slack, and times 61 words below 2^32 */
};

struct ribbon {
    uint64_t n;     /* keys in it */
    uint64_t words; /* of all segments */
    uint32_t shards, columns, extra, band;
    double slack; /* share of spare slots; only for twins */
};

struct ribbon_shard {
    uint64_t offset; /* of its first word, from the end of the table */
    uint32_t slots, salt;
};

static inline struct ribbon_shard ribbon_shard_at(const uint64_t *table, uint32_t shard)
{
    const uint64_t *entry = table + (size_t)shard * RIBBON_TABLE_WORDS;
    return (struct ribbon_shard){entry[0], (uint32_t)entry[1], (uint32_t)(entry[1] >> 32)};
}

/* The calls that run for every key, by band; of the common band those with at most eight columns apart. */
enum ribbon_width { RIBBON_NARROW, RIBBON_64, RIBBON_128, RIBBON_WIDTHS };

/* With each set of instructions. An array of a set that this machine lacks is empty. */
extern const struct filter_calls ribbon_scalar[RIBBON_WIDTHS], ribbon_neon[RIBBON_WIDTHS], ribbon_avx2[RIBBON_WIDTHS],
    ribbon_avx512[RIBBON_WIDTHS];

struct ribbon_row {
    uint32_t start, share; /* share: the upper half of u, of which start is the scaled value */
    struct coefficient c;
    uint64_t fingerprint; /* bit j for column j */
};

#define RIBBON_ODD UINT64_C(0x9e3779b97f4a7c15)

/* u: what the start follows from. */
static inline uint64_t ribbon_place_of(struct hash128 hash, uint32_t salt)
{
    return (hash.lo ^ ((uint64_t)salt << 32 | salt)) * RIBBON_ODD;
}

static inline struct ribbon_row ribbon_row_at(struct hash128 hash, uint64_t u, uint32_t starts, uint32_t band)
{
    uint64_t y = (hash.hi + (u << 32 | u >> 32)) * RIBBON_ODD;
    uint64_t z = (hash.lo + y) * RIBBON_ODD;
    struct coefficient c = {(y ^ y >> 32) | 1, band == 64 ? 0 : z ^ u};
    return (struct ribbon_row){shards_scale(u, starts), (uint32_t)(u >> 32), c, z ^ z >> 32};
}

static inline struct ribbon_row ribbon_row_of(struct hash128 hash, uint32_t salt, uint32_t starts, uint32_t band)
{
    return ribbon_row_at(hash, ribbon_place_of(hash, salt), starts, band);
}

/* The lowest start of a key with the extra column; out of reach when there is none. */
static inline uint32_t ribbon_boundary(uint32_t starts, uint32_t extra)
{
    if (!extra)
        return UINT32_MAX;
    return starts - (uint32_t)(((uint64_t)starts * extra + UINT32_MAX) >> 32);
}

/* Where segment g of a shard begins: the segments from the boundary's on have one word more. */
static inline uint32_t ribbon_segment(const struct ribbon *ribbon, uint32_t boundary, uint32_t g)
{
    uint32_t first = boundary / 64;
    return g * ribbon->columns + (g > first ? g - first : 0);
}

/* Words of a shard of so many slots. */
static inline uint64_t ribbon_shard_words(const struct ribbon *ribbon, uint32_t slots)
{
    return ribbon_segment(ribbon, ribbon_boundary(slots - ribbon->band + 1, ribbon->extra), slots / 64);
}

/* How many slots `keys` keys get: the spare share, one band for the ends, whole segments. */
uint32_t ribbon_slots(uint64_t keys, uint32_t band, double slack);

int ribbon_solve(struct uf_filter *filter, const struct spec *plan, struct hash_runs *runs, const uf_context *ctx,
                 uf_error *why);

/* Reads columns, extra, band and slack from a plan. */
int ribbon_read_plan(const struct spec *plan, struct ribbon *out, uf_error *why);

#endif
