/* SPDX-License-Identifier: MIT */
/*
 * counting: a Bloom filter whose cells are counters of 4 bits, sixteen to a word, so that keys can be removed.
 *
 * An insert adds one to the k counters of a key, a removal takes one off; a key is found when none of them is zero.
 * Positions are bloom's (positions.h), so the rate is bloom's with as many counters as that has bits, and after a
 * removal it is that of the keys left. Counter j of a word is its bits 4j to 4j + 3.
 *
 * A counter that has reached 15 stays there: how many keys it stands for is no longer known. That costs no member, only
 * some of the forgetting. It hardly happens with keys inserted once: at the planned load a counter is Poisson with mean
 * ln 2, and reaches 15 with chance 1.6e-15. A key inserted 15 times gets there at once and stays for good.
 *
 * A key inserted twice and removed once is still found. A key of which some counter is zero is not in the filter, and
 * its removal is refused; a false positive cannot be told from a member, and its removal would take other keys' counts.
 *
 * Fan, Cao, Almeida and Broder, "Summary cache: a scalable wide-area web cache sharing protocol", IEEE/ACM Transactions
 * on Networking 2000.
 */
#include <math.h>
#include <string.h>

#include "cells.h"
#include "partitions.h"
#include "plan.h"
#include "removal_claim.h"
#include "scatter.h"
#include "kinds.h"

enum { PER_WORD = 16, FULL = 15 };

static uint64_t unit_bits(unsigned k)
{
    return (uint64_t)k * CELL_COUNTER;
}

static const struct plan_rules rules = {rate_bloom, POSITIONS_MOST_K, NULL, unit_bits, 0};

static int counting_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    (void)ops;
    return plan_resolve(spec, &rules, why);
}

static int counting_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    struct partitions *counting = PARAMS(struct partitions, filter);
    struct plan_shape shape;
    int status = plan_read(plan, &rules, &shape, why);
    if (status == UF_OK)
        status = partitions_set(counting, shape.n, shape.units, shape.k, CELL_COUNTER, why);
    if (status == UF_OK)
        filter->word_count = partitions_words(counting);
    return status;
}

INLINE struct positions view_of(const struct uf_filter *filter)
{
    return partitions_view(CONST_PARAMS(struct partitions, filter), filter->words);
}

/* ---- queries ---- */

static int counting_query(const struct uf_filter *filter, struct hash128 hash)
{
    struct positions view = view_of(filter);
    return cells_query(&view, hash, CELL_COUNTER, filter->early_exit);
}

static void counting_query_many(const struct uf_filter *filter, struct hash_source *source, size_t count,
                                uint8_t *answers)
{
    cells_query_many(view_of(filter), source, count, answers, CELL_COUNTER, filter->early_exit);
}

INLINE unsigned shift_of(uint64_t position)
{
    return (unsigned)(position % PER_WORD) * CELL_COUNTER;
}

INLINE uint64_t counter(uint64_t word, unsigned shift)
{
    return word >> shift & FULL;
}

/* The least of its counters: it is not in more often, unless that is full. */
static unsigned counting_count(const struct uf_filter *filter, struct hash128 hash)
{
    struct positions view = view_of(filter);
    uint64_t position[POSITIONS_MOST_K], least = FULL;
    position_all(&view, hash, position);
    for (unsigned i = 0; i < view.k; i++) {
        uint64_t here = counter(view.words[position[i] / PER_WORD], shift_of(position[i]));
        least = here < least ? here : least;
    }
    return (unsigned)least;
}

/* ---- inserts ---- */

/* The word with one more in the counter at `shift`, unless it is full. */
INLINE uint64_t counted(uint64_t word, unsigned shift)
{
    return word + ((uint64_t)(counter(word, shift) != FULL) << shift);
}

/* Counters only rise here, and one after the other in any order gives the same: so inserts may be many at once. Both
 * return what the word was. */
INLINE uint64_t count_alone(uint64_t *word, unsigned shift)
{
    uint64_t old = *word;
    *word = counted(old, shift);
    return old;
}

INLINE uint64_t count_atomic(uint64_t *word, unsigned shift)
{
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED), more;
    do
        more = counted(old, shift);
    while (more != old && !__atomic_compare_exchange_n(word, &old, more, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

enum { ALONE, AMONG_OTHERS };

/* Counts a key at its positions; returns how many of them were zero. */
INLINE unsigned count_key(const struct positions *view, const uint64_t *position, unsigned how)
{
    unsigned fresh = 0;
    for (unsigned i = 0; i < view->k; i++) {
        uint64_t *word = &view->words[position[i] / PER_WORD];
        unsigned shift = shift_of(position[i]);
        uint64_t old = how == ALONE ? count_alone(word, shift) : count_atomic(word, shift);
        fresh += counter(old, shift) == 0;
    }
    return fresh;
}

INLINE void add(const void *self, const void *slot, size_t index, void *out, unsigned how)
{
    unsigned fresh = count_key(self, slot, how);
    if (out)
        ((int8_t *)out)[index] = fresh > 0;
}

/* A key that is known is counted once more, for which nothing is taken. */
INLINE void add_spare(const void *self, const void *slot, size_t index, void *out, unsigned how)
{
    const struct cells_within *within = self;
    int8_t *verdict = (int8_t *)out + index;
    unsigned fresh;
    *verdict = UF_EFULL;
    if (!cells_take(&within->view, slot, within->spare, CELL_COUNTER, how == AMONG_OTHERS, &fresh))
        return;
    unsigned set = count_key(&within->view, slot, how);
    *verdict = cells_taken(within->spare, fresh, set, how == AMONG_OTHERS);
}

static void counting_add_many(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    struct positions view = view_of(filter);
    positions_add(&view, source, count, add, verdict, ALONE);
}

static int counting_add(struct uf_filter *filter, struct hash128 hash)
{
    struct positions view = view_of(filter);
    return positions_add_one(&view, hash, add, ALONE);
}

static void counting_add_shared(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    struct positions view = view_of(filter);
    positions_add(&view, source, count, add, verdict, AMONG_OTHERS);
}

static void counting_add_within(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                                struct spare *spare)
{
    struct cells_within within = {view_of(filter), spare};
    if (filter->shared)
        positions_run(&within.view, source, count, add_spare, verdict, AMONG_OTHERS);
    else
        positions_run(&within.view, source, count, add_spare, verdict, ALONE);
}

static int counting_add_one_within(struct uf_filter *filter, struct hash128 hash, struct spare *spare)
{
    struct cells_within within = {view_of(filter), spare};
    return filter->shared ? positions_add_one(&within.view, hash, add_spare, AMONG_OTHERS)
                          : positions_add_one(&within.view, hash, add_spare, ALONE);
}

/* A place is a word, and what happens there is one counter raised. */
static uint64_t counting_places(const struct uf_filter *filter)
{
    return filter->word_count;
}

INLINE void push(const void *self, struct hash128 hash, const struct scatter *to)
{
    const struct positions *view = self;
    uint64_t position[POSITIONS_MOST_K];
    position_all(view, hash, position);
    for (unsigned i = 0; i < view->k; i++)
        scatter_push(to, position[i] / PER_WORD, shift_of(position[i]));
}

static void counting_scatter(const struct uf_filter *filter, struct hash_source *source, size_t count,
                             const struct scatter *to)
{
    struct positions view = view_of(filter);
    scatter_run(&view, source, count, to, push);
}

INLINE void use_item(const void *words, const struct item *item, unsigned variant)
{
    uint64_t *word = apply_find_word(words, item);
    (void)variant;
    *word = counted(*word, (unsigned)item->what);
}

static void counting_apply(struct uf_filter *filter, const struct item *items, size_t count)
{
    apply_run(filter->words, items, count, apply_find_word, use_item, 0);
}

/* ---- removals ---- */

/* What a removal works on, and how many counters fell to zero. */
struct removal {
    struct positions view; /* first: position_prepare knows only this */
    uint64_t *freed;
};

INLINE void take(const void *self, const void *slot, size_t index, void *out, unsigned variant)
{
    const struct removal *removal = self;
    const struct positions *view = &removal->view;
    const uint64_t *position = slot;
    signed char *verdict = (signed char *)out + index;
    (void)variant;
    *verdict = UF_EABSENT;
    if (!cells_all(view, position, CELL_COUNTER))
        return;
    *verdict = UF_ESTUCK;
    for (unsigned i = 0; i < view->k; i++) {
        uint64_t *word = &view->words[position[i] / PER_WORD];
        if (counter(*word, shift_of(position[i])) == FULL)
            continue;
        *word -= UINT64_C(1) << shift_of(position[i]);
        *removal->freed += counter(*word, shift_of(position[i])) == 0;
        *verdict = UF_OK;
    }
}

static uint64_t counting_remove_many(struct uf_filter *filter, struct hash_source *source, size_t count,
                                     signed char *verdicts)
{
    uint64_t freed = 0;
    struct removal removal = {view_of(filter), &freed};
    positions_run(&removal.view, source, count, take, verdicts, 0);
    return freed;
}

/* ---- sixteen counters at a time ---- */

#define LOW_BITS UINT64_C(0x1111111111111111)
#define EVEN UINT64_C(0x0f0f0f0f0f0f0f0f)

/* Sums of eight counters in bytes of their own: above 15 they are 15. */
static uint64_t add_bytes(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b, over = sum >> 4 & UINT64_C(0x0101010101010101);
    return (sum | over * FULL) & EVEN;
}

/* The union as multisets: a key that both have is there twice. Full stays full. */
static void counting_merge(struct uf_filter *into, const struct uf_filter *from, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        uint64_t a = into->words[i], b = from->words[i];
        into->words[i] = add_bytes(a & EVEN, b & EVEN) | add_bytes(a >> 4 & EVEN, b >> 4 & EVEN) << 4;
    }
}

static uint64_t count_used(const uint64_t *words, size_t count)
{
    uint64_t used = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t pairs = words[i] | words[i] >> 1;
        used += (uint64_t)__builtin_popcountll((pairs | pairs >> 2) & LOW_BITS);
    }
    return used;
}

static uint64_t count_full(const uint64_t *words, size_t count)
{
    uint64_t full = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t pairs = words[i] & words[i] >> 1;
        full += (uint64_t)__builtin_popcountll(pairs & pairs >> 2 & LOW_BITS);
    }
    return full;
}

static uint64_t count_sum(const uint64_t *words, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += ((words[i] & EVEN) + (words[i] >> 4 & EVEN)) * UINT64_C(0x0101010101010101) >> 56;
    return sum;
}

/* ---- bytes ---- */

static void counting_encode(const struct uf_filter *filter, struct writer *writer)
{
    partitions_encode(CONST_PARAMS(struct partitions, filter), writer);
}

static int counting_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    struct partitions *counting = PARAMS(struct partitions, filter);
    int status = partitions_decode(counting, reader, CELL_COUNTER, "counting", why);
    if (status == UF_OK)
        filter->word_count = partitions_words(counting);
    return status;
}

static int counting_check(const struct uf_filter *filter, uf_error *why)
{
    return partitions_check(CONST_PARAMS(struct partitions, filter), filter->words, why);
}

/* ---- figures ---- */

static uint64_t bits_of(const struct partitions *counting)
{
    return counting->part * counting->k * CELL_COUNTER;
}

static void counting_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct partitions *counting = CONST_PARAMS(struct partitions, filter);
    partitions_describe(counting, bits_of(counting), plan);
}

/* Every insert adds one in each partition, so their sums are the number of copies, exactly; full counters only lower
 * them. A key can be removed unless all its counters are full. */
static void counting_info(const struct uf_filter *filter, uf_info *out)
{
    const struct partitions *counting = CONST_PARAMS(struct partitions, filter);
    struct fill fill = partitions_fill(counting, filter->words, count_used);
    size_t each = partitions_words(counting) / counting->k;
    double stuck = 1;
    out->saturated = 0;
    out->copies = 0;
    for (unsigned i = 0; i < counting->k; i++) {
        double sum = (double)count_sum(filter->words + i * each, each);
        double full = (double)count_full(filter->words + i * each, each);
        out->copies = fmax(out->copies, sum);
        stuck *= sum > 0 ? FULL * full / sum : 0;
        out->saturated += full;
    }
    out->capacity = counting->n;
    out->bits = bits_of(counting);
    out->fpr_now = fill.rate;
    out->fill = fill.share;
    out->count_estimate = fill.keys;
    out->deletable_share = 1 - stuck;
}

static void counting_capacity(const struct uf_filter *filter, struct planned *out)
{
    partitions_capacity(CONST_PARAMS(struct partitions, filter), out);
}

static void counting_survey(const struct uf_filter *filter, struct survey *out)
{
    partitions_survey(CONST_PARAMS(struct partitions, filter), filter->words, count_used, out);
}

static uint64_t counting_limit(struct uf_filter *filter)
{
    return partitions_limit(CONST_PARAMS(struct partitions, filter));
}

static double counting_most_rate(const struct uf_filter *filter)
{
    return partitions_most_rate(CONST_PARAMS(struct partitions, filter));
}

/* One for each copy, in every partition. */
static uint64_t counting_most_keys(const struct uf_filter *filter)
{
    const struct partitions *counting = CONST_PARAMS(struct partitions, filter);
    size_t each = partitions_words(counting) / counting->k;
    uint64_t most = 0;
    for (unsigned i = 0; i < counting->k; i++) {
        uint64_t sum = count_sum(filter->words + i * each, each);
        most = sum > most ? sum : most;
    }
    return most;
}

static void counting_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct partitions *counting = CONST_PARAMS(struct partitions, filter);
    out->fpr = rate_bloom(counting->n, counting->part, counting->k);
    out->not_protected = "the keys: whoever has this file can test any guess against it, and from the counters often "
                         "tell which guesses are right; do not publish it";
    out->proof = "docs/kinds.md#counting";
    removal_claim(filter, out);
}

static const char *const names[] = {"n", "fpr", "bits", "bits_per_key", "k", NULL};

const struct filter_ops kind_counting = {
    .name = "counting",
    .about = "4-bit counters: grows, merges, removes; four times bloom's size",
    .names = names,
    .id = 7,
    .hash = HASH_XXH3,
    .plan = counting_plan,
    .shape = counting_shape,
    .calls = {.query = counting_query,
              .query_many = counting_query_many,
              .add_many = counting_add_many,
              .add = counting_add,
              .apply = counting_apply,
              .add_within = counting_add_within,
              .add_one_within = counting_add_one_within},
    .add_shared = counting_add_shared,
    .remove_many = counting_remove_many,
    .count = counting_count,
    .places = counting_places,
    .scatter = counting_scatter,
    .capacity = counting_capacity,
    .survey = counting_survey,
    .limit = counting_limit,
    .most_rate = counting_most_rate,
    .most_keys = counting_most_keys,
    .merge = counting_merge,
    .encode = counting_encode,
    .decode = counting_decode,
    .check = counting_check,
    .describe = counting_describe,
    .info = counting_info,
    .claim = counting_claim,
};
