/* SPDX-License-Identifier: MIT */
/*
 * bloom: the classic filter, m bits and k positions per key.
 *
 * The array is k partitions of `part` bits, each starting on a word; a key sets one bit in every partition. Which ones
 * is in positions.h; the rate is exact (core/rates.h).
 *
 * Bits of a partition's last word past `part` are zero. All k bits are probed unless early exit was asked for.
 */
#include "kind.h"

#include <math.h>
#include <string.h>

#include "arith.h"
#include "bits.h"
#include "plan.h"
#include "positions.h"
#include "rates.h"
#include "scatter.h"
#include "status.h"
#include "tiles.h"

struct bloom {
    uint64_t n, part, stride; /* stride: bits from one partition to the next, whole words */
    unsigned k;
};

static uint64_t unit_bits(unsigned k)
{
    return k;
}

static const struct plan_rules rules = {rate_bloom, POSITIONS_MOST_K, NULL, unit_bits};

static int bloom_plan(struct spec *spec, uf_error *why)
{
    return plan_resolve(spec, &rules, why);
}

static int set_shape(struct uf_filter *filter, uint64_t n, uint64_t part, unsigned k, uf_error *why)
{
    struct bloom *bloom = PARAMS(struct bloom, filter);
    uint64_t words = ceil_div(part, 64);
    if (words * k > SIZE_MAX / 8)
        return fail(why, UF_ENOMEM, "a filter of %llu bits does not fit into this machine's memory",
                    (unsigned long long)(part * k));
    *bloom = (struct bloom){n, part, 64 * words, k};
    filter->word_count = (size_t)(words * k);
    return UF_OK;
}

static int bloom_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    struct plan_shape shape;
    int status = plan_read(plan, &rules, &shape, why);
    return status == UF_OK ? set_shape(filter, shape.n, shape.units, shape.k, why) : status;
}

INLINE struct positions look(const struct uf_filter *filter)
{
    const struct bloom *bloom = CONST_PARAMS(struct bloom, filter);
    return (struct positions){filter->words, bloom->part, bloom->stride, bloom->k};
}

/* What a loop does with the bits of a key. */
enum { READ, SET, SET_ATOMIC };

/* ---- queries ---- */

INLINE int query(const struct positions *view, struct hash128 hash, int early_exit)
{
    const uint64_t *partition = view->words;
    uint64_t all = 1;
    for (unsigned i = 0; i < view->k && (all || !early_exit); i++, partition += view->stride / 64) {
        uint64_t at = position_within(view, hash, i);
        all &= __atomic_load_n(&partition[at / 64], __ATOMIC_RELAXED) >> at % 64;
    }
    return (int)(all & 1);
}

static int bloom_query(const struct uf_filter *filter, struct hash128 hash)
{
    struct positions view = look(filter);
    return filter->early_exit ? query(&view, hash, 1) : query(&view, hash, 0);
}

INLINE void test(const void *self, const void *slot, size_t index, void *out, unsigned what)
{
    const struct positions *view = self;
    const uint64_t *position = slot;
    uint64_t all = 1;
    (void)what;
    for (unsigned i = 0; i < view->k; i++)
        all &= __atomic_load_n(&view->words[position[i] / 64], __ATOMIC_RELAXED) >> position[i] % 64;
    ((uint8_t *)out)[index] = all & 1;
}

/* Early exit: the bits are found one by one as they are needed. */
INLINE void keep_hash(const void *self, struct hash128 hash, void *slot, unsigned what)
{
    (void)self, (void)what;
    *(struct hash128 *)slot = hash;
}

INLINE void test_in_turn(const void *self, const void *slot, size_t index, void *out, unsigned what)
{
    (void)what;
    ((uint8_t *)out)[index] = (uint8_t)query(self, *(const struct hash128 *)slot, 1);
}

INLINE void query_many(struct positions view, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct position_slots slots;
    tiles_apart(&view, source, count, &slots, position_slot_bytes(&view), position_prepare, test, answers, READ);
}

INLINE void query_early(struct positions view, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct hash128 slots[TILE_SLOTS];
    tiles_apart(&view, source, count, slots, sizeof slots[0], keep_hash, test_in_turn, answers, READ);
}

/* The k of 1 % and of 0.1 % get loops of their own; the others share one. */
static void bloom_query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct positions view = look(filter);
    if (filter->early_exit)
        query_early(view, source, count, answers);
    else if (view.k == 7)
        query_many(positions_with_k(view, 7), source, count, answers);
    else if (view.k == 10)
        query_many(positions_with_k(view, 10), source, count, answers);
    else
        query_many(view, source, count, answers);
}

/* ---- inserts ---- */

INLINE void set(const void *self, const void *slot, size_t index, void *out, unsigned what)
{
    const struct positions *view = self;
    const uint64_t *position = slot;
    (void)index, (void)out;
    for (unsigned i = 0; i < view->k; i++) {
        uint64_t *word = &view->words[position[i] / 64], bit = UINT64_C(1) << position[i] % 64;
        if (what == SET)
            *word |= bit;
        else
            __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    }
}

INLINE void insert_many(struct positions view, struct hash_source *source, size_t count, unsigned what)
{
    struct position_slots slots;
    tiles_apart(&view, source, count, &slots, position_slot_bytes(&view), position_prepare, set, NULL, what);
}

static void bloom_insert_many(struct uf_filter *filter, struct hash_source *source, size_t count)
{
    struct positions view = look(filter);
    if (view.k == 7)
        insert_many(positions_with_k(view, 7), source, count, SET);
    else if (view.k == 10)
        insert_many(positions_with_k(view, 10), source, count, SET);
    else
        insert_many(view, source, count, SET);
}

static void bloom_insert_shared(struct uf_filter *filter, struct hash_source *source, size_t count)
{
    insert_many(look(filter), source, count, SET_ATOMIC);
}

/* A place is a word, and what happens there is one bit set. */
static uint64_t bloom_places(const struct uf_filter *filter)
{
    return filter->word_count;
}

INLINE void push(const void *self, struct hash128 hash, const struct scatter *to)
{
    const struct positions *view = self;
    uint64_t position[POSITIONS_MOST_K];
    position_all(view, hash, position);
    for (unsigned i = 0; i < view->k; i++)
        scatter_push(to, position[i] / 64, UINT64_C(1) << position[i] % 64);
}

static void bloom_scatter(const struct uf_filter *filter, struct hash_source *source, size_t count,
                          const struct scatter *to)
{
    struct positions view = look(filter);
    scatter_run(&view, source, count, to, push);
}

static void bloom_apply(struct uf_filter *filter, const struct item *items, size_t count)
{
    for (size_t i = 0; i < count; i += TILE_SLOTS) {
        size_t end = count - i < TILE_SLOTS ? count : i + TILE_SLOTS;
        for (size_t j = i; j < end; j++)
            prefetch_write(&filter->words[items[j].place]);
        for (size_t j = i; j < end; j++)
            filter->words[items[j].place] |= items[j].what;
    }
}

/* ---- bytes ---- */

static void bloom_encode(const struct uf_filter *filter, struct writer *writer)
{
    const struct bloom *bloom = CONST_PARAMS(struct bloom, filter);
    write_uint(writer, bloom->n, 8);
    write_uint(writer, bloom->part, 8);
    write_uint(writer, bloom->k, 4);
}

static int bloom_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    uint64_t n = read_uint(reader, 8), part = read_uint(reader, 8), k = read_uint(reader, 4);
    if (n > UINT64_C(1) << 53 || k < 1 || k > POSITIONS_MOST_K || part < 1 || part > PLAN_MAX_BITS / k)
        return fail(why, UF_EFORMAT, "is damaged: no bloom filter has n=%llu, k=%llu and %llu bits per partition",
                    (unsigned long long)n, (unsigned long long)k, (unsigned long long)part);
    return set_shape(filter, n, part, (unsigned)k, why);
}

static int bloom_check(const struct uf_filter *filter, uf_error *why)
{
    const struct bloom *bloom = CONST_PARAMS(struct bloom, filter);
    for (unsigned i = 0; i < bloom->k; i++) {
        uint64_t last = filter->words[(i + 1) * bloom->stride / 64 - 1];
        if (bloom->part % 64 && last >> bloom->part % 64)
            return fail(why, UF_EFORMAT, "is damaged: bits are set past the end of partition %u", i);
    }
    return UF_OK;
}

static void bloom_merge(struct uf_filter *into, const struct uf_filter *from)
{
    bits_or(into->words, from->words, into->word_count);
}

/* ---- figures ---- */

static void bloom_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct bloom *bloom = CONST_PARAMS(struct bloom, filter);
    spec_set_number(plan, "n", (double)bloom->n);
    plan_set_fpr(plan, rate_bloom(bloom->n, bloom->part, bloom->k));
    spec_set_number(plan, "bits", (double)(bloom->part * bloom->k));
    spec_set_number(plan, "k", bloom->k);
}

/* Each partition is one sample of how many keys there are; their mean fill is inverted. The rate at this fill is
 * exact: a fresh key meets a one in partition i with chance fill_i. */
static void bloom_info(const struct uf_filter *filter, uf_info *out)
{
    const struct bloom *bloom = CONST_PARAMS(struct bloom, filter);
    double part = (double)bloom->part, ones = 0;
    out->capacity = bloom->n;
    out->bits = bloom->part * bloom->k;
    out->fpr_now = 1;
    for (unsigned i = 0; i < bloom->k; i++) {
        double set = (double)bits_count(filter->words + i * bloom->stride / 64, (size_t)bloom->stride / 64);
        ones += set;
        out->fpr_now *= set / part;
    }
    out->fill = ones / (part * bloom->k);
    out->count_estimate = bloom->part > 1 ? log1p(-out->fill) / log1p(-1 / part) : out->fill;
}

static void bloom_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct bloom *bloom = CONST_PARAMS(struct bloom, filter);
    out->fpr = rate_bloom(bloom->n, bloom->part, bloom->k);
    out->proof = "docs/kinds.md#bloom";
}

static const char *const names[] = {"n", "fpr", "bits", "bits_per_key", "k", NULL};

const struct filter_ops kind_bloom = {
    .name = "bloom",
    .about = "classic Bloom filter: grows, merges, k bits all over the array",
    .names = names,
    .id = 1,
    .hash = HASH_XXH3,
    .plan = bloom_plan,
    .shape = bloom_shape,
    .calls = {bloom_query, bloom_query_many, bloom_insert_many, bloom_apply},
    .insert_shared = bloom_insert_shared,
    .places = bloom_places,
    .scatter = bloom_scatter,
    .merge = bloom_merge,
    .encode = bloom_encode,
    .decode = bloom_decode,
    .check = bloom_check,
    .describe = bloom_describe,
    .info = bloom_info,
    .claim = bloom_claim,
};
