/* SPDX-License-Identifier: MIT */
/*
 * ribbon: static, near the space limit. Keys are split over shards; each shard is a system of linear equations
 * (core/linear.h) with one equation per key, row(key) * Z = fingerprint(key), and Z is what is stored. A key that is
 * not in the set satisfies its equation by chance: fpr = 2^-columns.
 *
 *     shard = (h.hi * shards) >> 64;  the shard's table entry gives its words, its slots and its salt
 *     s = mix64(h.lo ^ (h.hi << 32 | h.hi >> 32) ^ salt),  t = mix64(s + h.hi * ODD)
 *     start = (s * starts) >> 64, starts = slots - band + 1;   coefficient = s | 1, and t above it when band = 128
 *     fingerprint = x ^ x >> 32, x = (s ^ t) * ODD;  column j holds its bit j
 *
 * Any fpr, not only powers of two: a key whose start is among the last `starts * extra / 2^32` has one column more, so
 * fpr = 2^-columns * (1 - extra/2^33). All columns are solved, but the last is stored for the upper slots only.
 *
 * Payload: two words per shard (offset in words from the end of the table; slots | salt << 32), then for each
 * segment of 64 slots one word per column, then 8 zero words, so that queries may read 8 columns at a time.
 * 5 % of spare slots and a band of 64 solve a shard of 8192 keys in 94 of 100 tries; a failed shard gets a new salt.
 * Total: 1.06 * log2(1/fpr) bits per key.
 */
#ifndef UF_RIBBON_H
#define UF_RIBBON_H

#include "arith.h"
#include "kind.h"
#include "linear.h"

enum { RIBBON_SHARD_KEYS = 8192, RIBBON_MOST_COLUMNS = 60, RIBBON_PAD_WORDS = 8, RIBBON_TABLE_WORDS = 2 };

struct ribbon {
    uint64_t n; /* keys in it */
    uint64_t shards;
    uint64_t words; /* of all segments */
    uint32_t columns, extra, band;
    double slack; /* share of spare slots; only for twins */
};

struct ribbon_shard {
    uint64_t offset; /* of its first word, from the end of the table */
    uint32_t slots, salt;
};

struct ribbon_row {
    uint64_t start;
    struct coefficient c;
    uint64_t fingerprint; /* bit j for column j */
};

static inline struct ribbon_row ribbon_row_of(struct hash128 hash, uint32_t salt, uint64_t starts, uint32_t band)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t s = mix64(hash.lo ^ (hash.hi << 32 | hash.hi >> 32) ^ salt * odd);
    uint64_t t = mix64(s + hash.hi * odd), x = (s ^ t) * odd;
    return (struct ribbon_row){mul_high(s, starts), {s | 1, band == 64 ? 0 : t}, x ^ x >> 32};
}

/* The first start that has the extra column. */
static inline uint64_t ribbon_boundary(uint64_t starts, uint32_t extra)
{
    return starts - ((starts * extra + UINT32_MAX) >> 32);
}

/* Where segment g of a shard begins: the segments from the boundary's on have one word more. */
static inline uint64_t ribbon_segment(const struct ribbon *ribbon, uint64_t boundary, uint64_t g)
{
    uint64_t first = boundary / 64;
    return g * ribbon->columns + (ribbon->extra && g > first ? g - first : 0);
}

/* Words of a shard of so many slots. */
static inline uint64_t ribbon_shard_words(const struct ribbon *ribbon, uint64_t slots)
{
    return ribbon_segment(ribbon, ribbon_boundary(slots - ribbon->band + 1, ribbon->extra), slots / 64);
}

/* How many slots `keys` keys get: the spare share, one band for the ends, whole segments. */
uint64_t ribbon_slots(uint64_t keys, uint32_t band, double slack);

/* How many shards n keys get: 1, 2, 4 ... 256, then multiples of 256, so that shards nest in the groups of hash_runs.
 */
uint64_t ribbon_shards(uint64_t n);

int ribbon_solve(struct uf_filter *filter, const struct spec *plan, struct hash_runs *runs, const uf_context *ctx,
                 uf_error *why);

/* Reads columns, extra, band and slack from a plan. */
int ribbon_read_plan(const struct spec *plan, struct ribbon *out, uf_error *why);

#endif
