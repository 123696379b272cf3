/* SPDX-License-Identifier: MIT */
/*
 * deletable: bloom's bits, and beside them flags that say where bits were set more than once, so that what is not
 * shared can be cleared again.
 *
 *     words   k partitions of `part` bits, then k partitions of part / region flags; each partition starts on a word
 *     flag g  of a partition: of its bits g * region to (g + 1) * region - 1 one was set when it was set already
 *
 * With region = 1 this is the collision bit for each bit; larger regions take less room and fewer keys stay removable.
 * An insert that meets a one raises the flag of its region. A removal clears those bits of the key whose flag is down;
 * they were set once, by this key, and no other key needs them. A flag never falls, so a bit that was set twice is
 * never cleared, and no member is lost. A key that has no bit to clear stays (UF_ESTUCK) and is still found.
 *
 * A key inserted twice has raised all its flags itself: it stays for good. The rate is bloom's (core/rates.h has the
 * share of keys that can be removed); a removal leaves the shared bits behind, so n keys inserted and d removed have
 *
 *     FPR = (z - d/part u)^k,   z = 1 - (1 - 1/part)^n,  u = the chance that a region is unshared
 *
 * Measured, 10^4 keys at 1 % with region = 3, half of them removed: 0.00150, by the formula 0.00152; 5.8 % of the
 * removals refused, by the formula 5.7 %.
 *
 * Rothenberg, Macapuna, Verdi and Magalhães, "The deletable Bloom filter", IEEE Communications Letters 2010.
 */
#include <math.h>
#include <string.h>

#include "bits.h"
#include "cells.h"
#include "partitions.h"
#include "plan.h"
#include "removal_claim.h"
#include "scatter.h"
#include "status.h"
#include "kinds.h"

enum { MOST_REGION = 64 };

/* The planner's regions are as large as they may be for this share of keys to stay removable at capacity. */
#define WANTED_SHARE 0.9

struct deletable {
    struct partitions bits, flags;
    unsigned region;
};

/* ---- planning ---- */

static struct plan_rules rules_of(unsigned region)
{
    return (struct plan_rules){rate_bloom, POSITIONS_MOST_K, NULL, NULL, region};
}

static int resolve(struct spec *spec, unsigned region, struct plan_shape *out, uf_error *why)
{
    struct plan_rules rules = rules_of(region);
    int status = plan_resolve(spec, &rules, why);
    if (status == UF_OK)
        status = plan_read(spec, &rules, out, why);
    spec_set_number(spec, "region", region);
    return status;
}

/* Which of two plans for one request is better: by what the request leaves open. */
static int better(const struct spec *want, const struct plan_shape *a, unsigned region_a, const struct plan_shape *b,
                  unsigned region_b)
{
    int sized = spec_text(want, "bits") || spec_text(want, "bits_per_key");
    if (sized && spec_text(want, "n"))
        return a->fpr < b->fpr;
    if (sized)
        return a->n > b->n;
    return a->units * a->k * (region_a + 1) < b->units * b->k * (region_b + 1);
}

/* The best plan in regions that leave enough keys removable; when there is none, in the smallest that will do. The
 * region, or 0 when nothing will do. */
static unsigned choose_region(struct spec *spec)
{
    struct spec want = *spec;
    struct plan_shape best = {0, 0, 0, 0}, shape;
    unsigned chosen = 0;
    for (unsigned region = 1; region <= MOST_REGION; region++) {
        struct spec trial = want;
        if (resolve(&trial, region, &shape, NULL) != UF_OK)
            continue;
        if (chosen && (rate_deletable(shape.n, shape.units * region, region, shape.k) < WANTED_SHARE ||
                       !better(&want, &shape, region, &best, chosen)))
            continue;
        chosen = region;
        best = shape;
        *spec = trial;
    }
    return chosen;
}

/* Says why nothing will do: for a rate, in terms of the region that would be chosen if there were bits enough. */
static int explain(const struct spec *want, uf_error *why)
{
    struct spec trial = *want, larger = *want;
    struct plan_shape shape;
    spec_remove(&larger, "bits");
    spec_remove(&larger, "bits_per_key");
    unsigned region = spec_text(want, "fpr") ? choose_region(&larger) : 0;
    return resolve(&trial, region ? region : 1, &shape, why);
}

static int read_region(const struct spec *spec, unsigned *out, uf_error *why)
{
    uint64_t region = 0;
    int given = spec_get_count(spec, "region", &region, why);
    if (given < 0)
        return UF_EINVAL;
    if (given && (region < 1 || region > MOST_REGION))
        return fail(why, UF_EINVAL, "region=%llu is not possible: one flag covers 1 to %d bits",
                    (unsigned long long)region, MOST_REGION);
    *out = (unsigned)region;
    return UF_OK;
}

static int deletable_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    (void)ops;
    struct plan_shape shape;
    unsigned region = 0;
    int status = read_region(spec, &region, why);
    if (status != UF_OK)
        return status;
    if (region)
        return resolve(spec, region, &shape, why);
    return choose_region(spec) ? UF_OK : explain(spec, why);
}

static int set_shape(struct uf_filter *filter, const struct partitions *bits, unsigned region, uf_error *why)
{
    struct deletable *deletable = PARAMS(struct deletable, filter);
    deletable->bits = *bits;
    deletable->region = region;
    int status = partitions_set(&deletable->flags, bits->n, bits->part / region, bits->k, CELL_BIT, why);
    if (status != UF_OK)
        return status;
    filter->word_count = partitions_words(&deletable->bits) + partitions_words(&deletable->flags);
    if (filter->word_count > SIZE_MAX / 8)
        return fail(why, UF_ENOMEM, "a filter of %zu words does not fit into this machine's memory",
                    filter->word_count);
    return UF_OK;
}

static int deletable_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    struct partitions bits;
    struct plan_shape shape;
    unsigned region = 0;
    int status = read_region(plan, &region, why);
    if (status == UF_OK && !region)
        status = fail(why, UF_EINVAL, "the plan lacks region");
    if (status != UF_OK)
        return status;
    struct plan_rules rules = rules_of(region);
    status = plan_read(plan, &rules, &shape, why);
    if (status == UF_OK)
        status = partitions_set(&bits, shape.n, shape.units * region, shape.k, CELL_BIT, why);
    return status == UF_OK ? set_shape(filter, &bits, region, why) : status;
}

/* ---- what the loops need to know ---- */

struct view {
    struct positions bits; /* first: position_prepare knows only this */
    uint64_t *flags;
    uint64_t flag_stride; /* flags from one partition to the next: whole words */
    uint64_t divide;      /* 2^64 / region, rounded up: at / region by one multiplication; 0 when region is 1 */
    struct spare *spare;  /* inserts within it; NULL otherwise */
    uint64_t *freed;      /* removals: bits that were cleared; NULL otherwise */
};

INLINE struct view view_of(const struct uf_filter *filter)
{
    const struct deletable *deletable = CONST_PARAMS(struct deletable, filter);
    uint64_t divide = deletable->region > 1 ? UINT64_MAX / deletable->region + 1 : 0;
    return (struct view){.bits = partitions_view(&deletable->bits, filter->words),
                         .flags = filter->words + partitions_words(&deletable->bits),
                         .flag_stride = deletable->flags.stride,
                         .divide = divide};
}

/* The number of the flag of a position, which is in partition i. Exact, as positions are below 2^46 and regions at most
 * 64. */
INLINE uint64_t flag_of(const struct view *view, uint64_t position, unsigned i)
{
    uint64_t at = position - i * view->bits.stride;
    return i * view->flag_stride + (view->divide ? mul_high(at, view->divide) : at);
}

INLINE uint64_t bit_of(uint64_t position)
{
    return UINT64_C(1) << position % 64;
}

/* ---- queries: bloom's ---- */

static int deletable_query(const struct uf_filter *filter, struct hash128 hash)
{
    struct view view = view_of(filter);
    return cells_query(&view.bits, hash, CELL_BIT, filter->early_exit);
}

static void deletable_query_many(const struct uf_filter *filter, struct hash_source *source, size_t count,
                                 uint8_t *answers)
{
    cells_query_many(view_of(filter).bits, source, count, answers, CELL_BIT, filter->early_exit);
}

/* ---- inserts ---- */

enum { ALONE, AMONG_OTHERS };

/* Sets a bit of an array, and returns what it was. */
INLINE uint64_t set_bit(uint64_t *words, uint64_t at, unsigned how)
{
    uint64_t *word = &words[at / 64];
    if (how == AMONG_OTHERS)
        return __atomic_fetch_or(word, bit_of(at), __ATOMIC_RELAXED) & bit_of(at);
    uint64_t old = *word;
    *word = old | bit_of(at);
    return old & bit_of(at);
}

/* Of several that set one bit, all but one see that it was set: the flags do not depend on their order. Returns how
 * many bits of the key were not. */
INLINE unsigned add_key(const struct view *view, const uint64_t *position, unsigned how)
{
    unsigned fresh = view->bits.k;
    for (unsigned i = 0; i < view->bits.k; i++)
        if (set_bit(view->bits.words, position[i], how)) {
            (void)set_bit(view->flags, flag_of(view, position[i], i), how);
            fresh--;
        }
    return fresh;
}

INLINE void add(const void *self, const void *slot, size_t index, void *out, unsigned how)
{
    unsigned fresh = add_key(self, slot, how);
    if (out)
        ((int8_t *)out)[index] = fresh > 0;
}

/* A key that is known raises its flags, for which nothing is taken. */
INLINE void add_spare(const void *self, const void *slot, size_t index, void *out, unsigned how)
{
    const struct view *view = self;
    int8_t *verdict = (int8_t *)out + index;
    unsigned fresh;
    *verdict = UF_EFULL;
    if (!cells_take(&view->bits, slot, view->spare, CELL_BIT, how == AMONG_OTHERS, &fresh))
        return;
    *verdict = cells_taken(view->spare, fresh, add_key(view, slot, how), how == AMONG_OTHERS);
}

static void deletable_add_many(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    struct view view = view_of(filter);
    if (filter->word_count <= POSITIONS_NEAR)
        view.bits.shift = 0;
    positions_add(&view.bits, source, count, add, verdict, ALONE);
}

static int deletable_add(struct uf_filter *filter, struct hash128 hash)
{
    struct view view = view_of(filter);
    return positions_add_one(&view.bits, hash, add, ALONE);
}

static void deletable_add_shared(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    struct view view = view_of(filter);
    positions_add(&view.bits, source, count, add, verdict, AMONG_OTHERS);
}

static void deletable_add_within(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                                 struct spare *spare)
{
    struct view view = view_of(filter);
    view.spare = spare;
    if (filter->shared)
        positions_run(&view.bits, source, count, add_spare, verdict, AMONG_OTHERS);
    else
        positions_run(&view.bits, source, count, add_spare, verdict, ALONE);
}

static int deletable_add_one_within(struct uf_filter *filter, struct hash128 hash, struct spare *spare)
{
    struct view view = view_of(filter);
    view.spare = spare;
    return filter->shared ? positions_add_one(&view.bits, hash, add_spare, AMONG_OTHERS)
                          : positions_add_one(&view.bits, hash, add_spare, ALONE);
}

/* A place is a word of flags, with the bits that those flags cover: no word of bits belongs to two of them. What
 * happens there is position * 64 + number of the flag in its word. */
static uint64_t deletable_places(const struct uf_filter *filter)
{
    return partitions_words(&CONST_PARAMS(struct deletable, filter)->flags);
}

INLINE void push(const void *self, struct hash128 hash, const struct scatter *to)
{
    const struct view *view = self;
    uint64_t position[POSITIONS_MOST_K];
    position_all(&view->bits, hash, position);
    for (unsigned i = 0; i < view->bits.k; i++) {
        uint64_t flag = flag_of(view, position[i], i);
        scatter_push(to, flag / 64, position[i] * 64 + flag % 64);
    }
}

static void deletable_scatter(const struct uf_filter *filter, struct hash_source *source, size_t count,
                              const struct scatter *to)
{
    struct view view = view_of(filter);
    scatter_run(&view, source, count, to, push);
}

INLINE void *find_item(const void *self, const struct item *item)
{
    return &((const struct view *)self)->bits.words[item->what / 64 / 64];
}

INLINE void use_item(const void *self, const struct item *item, unsigned variant)
{
    const struct view *view = self;
    (void)variant;
    if (set_bit(view->bits.words, item->what / 64, ALONE))
        (void)set_bit(view->flags, item->place * 64 + item->what % 64, ALONE);
}

static void deletable_apply(struct uf_filter *filter, const struct item *items, size_t count)
{
    struct view view = view_of(filter);
    apply_run(&view, items, count, find_item, use_item, 0);
}

/* ---- removals ---- */

INLINE void take(const void *self, const void *slot, size_t index, void *out, unsigned variant)
{
    const struct view *view = self;
    const uint64_t *position = slot;
    signed char *verdict = (signed char *)out + index;
    (void)variant;
    *verdict = UF_EABSENT;
    if (!cells_all(&view->bits, position, CELL_BIT))
        return;
    *verdict = UF_ESTUCK;
    for (unsigned i = 0; i < view->bits.k; i++) {
        uint64_t flag = flag_of(view, position[i], i);
        if (view->flags[flag / 64] & bit_of(flag))
            continue;
        view->bits.words[position[i] / 64] &= ~bit_of(position[i]);
        ++*view->freed;
        *verdict = UF_OK;
    }
}

static uint64_t deletable_remove_many(struct uf_filter *filter, struct hash_source *source, size_t count,
                                      signed char *verdicts)
{
    uint64_t freed = 0;
    struct view view = view_of(filter);
    view.freed = &freed;
    positions_run(&view.bits, source, count, take, verdicts, 0);
    return freed;
}

/* A bit that both have was set twice. So the merged filter is the one built from all the keys of both. */
static void deletable_merge(struct uf_filter *into, const struct uf_filter *from, size_t first, size_t count)
{
    struct view view = view_of(into);
    size_t words = partitions_words(&CONST_PARAMS(struct deletable, into)->bits);
    for (size_t w = first; w < first + count && w < words; w++) {
        unsigned i = (unsigned)(w / (view.bits.stride / 64));
        for (uint64_t both = into->words[w] & from->words[w]; both; both &= both - 1)
            (void)set_bit(view.flags, flag_of(&view, 64 * w + (unsigned)__builtin_ctzll(both), i), ALONE);
    }
    bits_or(into->words + first, from->words + first, count);
}

/* ---- bytes ---- */

static void deletable_encode(const struct uf_filter *filter, struct writer *writer)
{
    const struct deletable *deletable = CONST_PARAMS(struct deletable, filter);
    partitions_encode(&deletable->bits, writer);
    write_uint(writer, deletable->region, 4);
}

static int deletable_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    struct partitions bits;
    int status = partitions_decode(&bits, reader, CELL_BIT, "deletable", why);
    uint64_t region = read_uint(reader, 4);
    if (status != UF_OK)
        return status;
    if (region < 1 || region > MOST_REGION || bits.part % region ||
        bits.part + bits.part / region > PLAN_MAX_BITS / bits.k)
        return fail(why, UF_EFORMAT, "is damaged: no deletable filter has regions of %llu in %llu bits",
                    (unsigned long long)region, (unsigned long long)bits.part);
    return set_shape(filter, &bits, (unsigned)region, why);
}

static int deletable_check(const struct uf_filter *filter, uf_error *why)
{
    const struct deletable *deletable = CONST_PARAMS(struct deletable, filter);
    int status = partitions_check(&deletable->bits, filter->words, why);
    if (status == UF_OK)
        status = partitions_check(&deletable->flags, view_of(filter).flags, why);
    return status;
}

/* ---- figures ---- */

static uint64_t bits_of(const struct deletable *deletable)
{
    return (deletable->bits.part + deletable->flags.part) * deletable->bits.k;
}

static void deletable_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct deletable *deletable = CONST_PARAMS(struct deletable, filter);
    partitions_describe(&deletable->bits, bits_of(deletable), plan);
    spec_set_number(plan, "region", deletable->region);
}

/* `count` bits, at most 64, from bit number `from` on. */
static uint64_t read_bits(const uint64_t *words, uint64_t from, unsigned count)
{
    uint64_t value = words[from / 64] >> from % 64;
    if (from % 64 + count > 64)
        value |= words[from / 64 + 1] << (64 - from % 64);
    return count < 64 ? value & (bit_of(count) - 1) : value;
}

/* Bits that are set in regions whose flag is down: each is one key's own. */
static double count_unshared(const struct deletable *deletable, const struct view *view)
{
    uint64_t own = 0;
    for (unsigned i = 0; i < deletable->bits.k; i++)
        for (uint64_t g = 0; g < deletable->flags.part; g++) {
            uint64_t flag = i * view->flag_stride + g;
            if (!(view->flags[flag / 64] & bit_of(flag)))
                own += (uint64_t)__builtin_popcountll(
                    read_bits(view->bits.words, i * view->bits.stride + g * deletable->region, deletable->region));
        }
    return (double)own;
}

/* The x with x - ln(1 + x) = y, y >= 0: Newton's way, from above, where it cannot overshoot. */
static double solve_load(double y)
{
    double x = y + sqrt(y * y + 2 * y);
    for (int i = 0; i < 40 && x > 0; i++)
        x -= (x - log1p(x) - y) * (1 + x) / x;
    return fmax(x, 0);
}

/*
 * How many keys were inserted shows in the flags: a region stays unshared with chance q = ((1 + x) e^-x)^region at x
 * keys per bit, and that of a given key with u = q / (1 + x). Of the keys inserted, 1 - share = (1 - u)^k have no bit
 * to themselves and are here for good; the others have k u / share each, so the number of such bits tells how many of
 * them are left, whatever the removed ones have left behind. Where hardly a region is unshared there is only the fill
 * to go by.
 */
static void deletable_info(const struct uf_filter *filter, uf_info *out)
{
    const struct deletable *deletable = CONST_PARAMS(struct deletable, filter);
    const struct partitions *bits = &deletable->bits, *flags = &deletable->flags;
    struct view view = view_of(filter);
    struct fill fill = partitions_fill(bits, filter->words, bits_count);
    double raised = (double)bits_count(view.flags, partitions_words(flags));
    double unshared = 1 - raised / ((double)flags->part * flags->k);
    out->capacity = bits->n;
    out->bits = bits_of(deletable);
    out->fpr_now = fill.rate;
    out->fill = fill.share;
    out->count_estimate = fill.keys;
    out->deletable_share = 0;
    if (unshared <= 0)
        return;
    double load = solve_load(-log(unshared) / deletable->region), own = unshared / (1 + load);
    double share = 1 - pow(1 - own, bits->k);
    out->deletable_share = share;
    if (unshared < 1.0 / 16)
        return;
    double stuck = load * (double)bits->part * (1 - share);
    double removable = count_unshared(deletable, &view) * share / own / bits->k;
    out->count_estimate = fmin(removable + stuck, fill.keys); /* flags count copies, bits do not */
    out->deletable_share = removable + stuck > 0 ? removable / (removable + stuck) : 1;
}

static void deletable_capacity(const struct uf_filter *filter, struct planned *out)
{
    partitions_capacity(&CONST_PARAMS(struct deletable, filter)->bits, out);
}

/* Removed keys leave the bits that they share. */
static void deletable_survey(const struct uf_filter *filter, struct survey *out)
{
    partitions_survey(&CONST_PARAMS(struct deletable, filter)->bits, filter->words, bits_count, out);
}

static uint64_t deletable_limit(struct uf_filter *filter)
{
    return partitions_limit(&CONST_PARAMS(struct deletable, filter)->bits);
}

static double deletable_most_rate(const struct uf_filter *filter)
{
    return partitions_most_rate(&CONST_PARAMS(struct deletable, filter)->bits);
}

static void deletable_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct partitions *bits = &CONST_PARAMS(struct deletable, filter)->bits;
    out->fpr = rate_bloom(bits->n, bits->part, bits->k);
    out->proof = "docs/kinds.md#deletable";
    removal_claim(filter, out);
}

static const char *const names[] = {"n", "fpr", "bits", "bits_per_key", "k", "region", NULL};

const struct filter_ops kind_deletable = {
    .name = "deletable",
    .about = "bloom with flags on shared bits: grows, merges, removes most keys",
    .names = names,
    .id = 8,
    .hash = HASH_XXH3,
    .leaves_cells = 1,
    .plan = deletable_plan,
    .shape = deletable_shape,
    .calls = {.query = deletable_query,
              .query_many = deletable_query_many,
              .add_many = deletable_add_many,
              .add = deletable_add,
              .apply = deletable_apply,
              .add_within = deletable_add_within,
              .add_one_within = deletable_add_one_within},
    .add_shared = deletable_add_shared,
    .remove_many = deletable_remove_many,
    .places = deletable_places,
    .scatter = deletable_scatter,
    .capacity = deletable_capacity,
    .survey = deletable_survey,
    .limit = deletable_limit,
    .most_rate = deletable_most_rate,
    .merge = deletable_merge,
    .encode = deletable_encode,
    .decode = deletable_decode,
    .check = deletable_check,
    .describe = deletable_describe,
    .info = deletable_info,
    .claim = deletable_claim,
};
