/* SPDX-License-Identifier: MIT */
/*
 * bloom: the classic filter, m bits and k positions per key.
 *
 * The array is k partitions of `part` bits, each starting on a word; a key sets one bit in every partition. Which ones
 * is in positions.h; the rate is exact (core/rates.h).
 *
 * Bits of a partition's last word past `part` are zero. All k bits are probed unless early exit was asked for.
 *
 * Bloom, "Space/time trade-offs in hash coding with allowable errors", Communications of the ACM 1970.
 */
#include "bloom.h"

#include "bits.h"
#include "plan.h"
#include "kinds.h"

static uint64_t unit_bits(unsigned k)
{
    return k;
}

static const struct plan_rules rules = {rate_bloom, POSITIONS_MOST_K, NULL, unit_bits, 0};

static int bloom_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    (void)ops;
    return plan_resolve(spec, &rules, why);
}

static int bloom_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    struct partitions *bloom = PARAMS(struct partitions, filter);
    struct plan_shape shape;
    int status = plan_read(plan, &rules, &shape, why);
    if (status == UF_OK)
        status = partitions_set(bloom, shape.n, shape.units, shape.k, CELL_BIT, why);
    if (status == UF_OK)
        filter->word_count = partitions_words(bloom);
    return status;
}

INLINE struct positions view_of(const struct uf_filter *filter)
{
    return partitions_view(CONST_PARAMS(struct partitions, filter), filter->words);
}

/* ---- queries and inserts ---- */

static int bloom_query(const struct uf_filter *filter, struct hash128 hash)
{
    struct positions view = view_of(filter);
    return cells_query(&view, hash, CELL_BIT, filter->early_exit);
}

/* One query that hashes its key: the call with all cases is behind a jump. */
static __attribute__((noinline)) int bloom_query_other(const struct uf_filter *filter, uf_key key)
{
    return bloom_query(filter, string_hash(&filter->string, key));
}

static int bloom_query_keyed(const struct uf_filter *filter, uf_key key)
{
    return bloom_query(filter, hash_keyed(&filter->hasher, key));
}

static int bloom_query_key(const struct uf_filter *filter, uf_key key)
{
    struct positions view = view_of(filter);
    if (key.size != 8 || view.k != 7 || filter->early_exit || view.part >= POSITIONS_NARROW)
        return bloom_query_other(filter, key);
    return cells_find_pairs(&view, word_hash(&filter->word, key.data), 7, CELL_BIT, 0);
}

static void bloom_query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    cells_query_many(view_of(filter), source, count, answers, CELL_BIT, filter->early_exit);
}

static void bloom_add_many(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    struct positions view = view_of(filter);
    if (filter->word_count <= POSITIONS_NEAR)
        view.shift = 0;
    bitarray_add_many(view, source, count, verdict, SET);
}

static int bloom_add(struct uf_filter *filter, struct hash128 hash)
{
    struct positions view = view_of(filter);
    return positions_add_one(&view, hash, bitarray_set, SET);
}

static void bloom_add_shared(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    bitarray_add_many(view_of(filter), source, count, verdict, SET_ATOMIC);
}

static void bloom_add_within(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                             struct spare *spare)
{
    bitarray_add_within(view_of(filter), source, count, verdict, spare, filter->shared);
}

static int bloom_add_one_within(struct uf_filter *filter, struct hash128 hash, struct spare *spare)
{
    return bitarray_add_one_within(view_of(filter), hash, spare, filter->shared);
}

static void bloom_bind(struct uf_filter *filter)
{
    const struct bloom_calls *calls = filter->cpu == UF_CPU_AVX512 ? &bloom_avx512
                                      : filter->cpu == UF_CPU_AVX2 ? &bloom_avx2
                                                                   : NULL;
    if (!calls || !calls->query_many)
        return;
    filter->calls.query_many = calls->query_many;
    filter->calls.add_many = calls->add_many;
}

static uint64_t bloom_places(const struct uf_filter *filter)
{
    return filter->word_count;
}

static void bloom_scatter(const struct uf_filter *filter, struct hash_source *source, size_t count,
                          const struct scatter *to)
{
    bitarray_scatter(view_of(filter), source, count, to);
}

static void bloom_apply(struct uf_filter *filter, const struct item *items, size_t count)
{
    bitarray_apply(filter->words, items, count);
}

static void bloom_merge(struct uf_filter *into, const struct uf_filter *from, size_t first, size_t count)
{
    bits_or(into->words + first, from->words + first, count);
}

/* ---- bytes ---- */

static void bloom_encode(const struct uf_filter *filter, struct writer *writer)
{
    partitions_encode(CONST_PARAMS(struct partitions, filter), writer);
}

static int bloom_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    struct partitions *bloom = PARAMS(struct partitions, filter);
    int status = partitions_decode(bloom, reader, CELL_BIT, "bloom", why);
    if (status == UF_OK)
        filter->word_count = partitions_words(bloom);
    return status;
}

static int bloom_check(const struct uf_filter *filter, uf_error *why)
{
    return partitions_check(CONST_PARAMS(struct partitions, filter), filter->words, why);
}

/* ---- figures ---- */

static void bloom_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct partitions *bloom = CONST_PARAMS(struct partitions, filter);
    partitions_describe(bloom, bloom->part * bloom->k, plan);
}

static void bloom_info(const struct uf_filter *filter, uf_info *out)
{
    const struct partitions *bloom = CONST_PARAMS(struct partitions, filter);
    struct fill fill = partitions_fill(bloom, filter->words, bits_count);
    out->capacity = bloom->n;
    out->bits = bloom->part * bloom->k;
    out->fpr_now = fill.rate;
    out->fill = fill.share;
    out->count_estimate = fill.keys;
}

static void bloom_capacity(const struct uf_filter *filter, struct planned *out)
{
    partitions_capacity(CONST_PARAMS(struct partitions, filter), out);
}

static void bloom_survey(const struct uf_filter *filter, struct survey *out)
{
    partitions_survey(CONST_PARAMS(struct partitions, filter), filter->words, bits_count, out);
}

static uint64_t bloom_limit(struct uf_filter *filter)
{
    return partitions_limit(CONST_PARAMS(struct partitions, filter));
}

static double bloom_most_rate(const struct uf_filter *filter)
{
    return partitions_most_rate(CONST_PARAMS(struct partitions, filter));
}

static void bloom_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct partitions *bloom = CONST_PARAMS(struct partitions, filter);
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
    .copies = 1,
    .child_factor = 1.4427, /* the classic 1 / ln 2 */
    .plan = bloom_plan,
    .shape = bloom_shape,
    .calls = {.query = bloom_query,
              .query_many = bloom_query_many,
              .add_many = bloom_add_many,
              .add = bloom_add,
              .apply = bloom_apply,
              .add_within = bloom_add_within,
              .add_one_within = bloom_add_one_within,
              .query_key = bloom_query_key,
              .query_keyed = bloom_query_keyed},
    .bind = bloom_bind,
    .add_shared = bloom_add_shared,
    .places = bloom_places,
    .scatter = bloom_scatter,
    .capacity = bloom_capacity,
    .survey = bloom_survey,
    .limit = bloom_limit,
    .most_rate = bloom_most_rate,
    .merge = bloom_merge,
    .encode = bloom_encode,
    .decode = bloom_decode,
    .check = bloom_check,
    .describe = bloom_describe,
    .info = bloom_info,
    .claim = bloom_claim,
};
