/* SPDX-License-Identifier: MIT */
/*
 * uf_designs: the best design of every private mechanism side by side (privacy/design.h has the mathematics), each
 * with the spec that makes it. Designs are sorted by their errors; one without differential privacy is never above one
 * with it, because what it saves in errors it pays with the promise.
 */
#include <math.h>
#include <string.h>

#include "design.h"
#include "dpset.h"
#include "kinds.h"
#include "plan.h"
#include "plan_sizes.h"
#include "rounding.h"
#include "sized.h"
#include "spec.h"
#include "status.h"
#include "variants.h"

#define MOST_KEYS (UINT64_C(1) << 40)
#define DEFAULT_BITS 16.0 /* per key, for mechanisms whose errors always fall with the size */

struct question {
    double epsilon;
    uint64_t n;
    double most_bits; /* per key; 0: not said */
    uint64_t bits;    /* in all, for bit arrays */
};

struct list {
    uf_design design[UF_MOST_DESIGNS];
    size_t count;
};

/* ---- rows ---- */

static uf_design *add_row(struct list *list, const char *mechanism)
{
    uf_design *row = &list->design[list->count++];
    *row = (uf_design){.mechanism = mechanism, .epsilon = NAN, .build_ns = NAN, .query_ns = NAN};
    return row;
}

static void set_errors(uf_design *row, double fpr, double fnr)
{
    row->fpr = fpr;
    row->fnr = fnr;
    row->f1 = rr_f1(fpr, fnr);
}

static struct spec start_spec(const char *kind, uint64_t n)
{
    struct spec spec = {.count = 0};
    strcpy(spec.kind, kind);
    spec_set_number(&spec, "n", (double)n);
    return spec;
}

/* A handful of numbers always fits. */
static void end_spec(const struct spec *spec, uf_design *row)
{
    (void)spec_print(spec, &row->spec, NULL);
}

static void set_array(uf_design *row, const struct question *question, struct spec *spec, unsigned k)
{
    uint64_t bits = question->bits / k * k; /* whole partitions */
    row->k = k;
    row->bits_per_key = question->n ? (double)bits / (double)question->n : NAN;
    spec_set_number(spec, "bits", (double)bits);
    spec_set_number(spec, "k", k);
}

static void too_small(uf_design *row, const struct question *question)
{
    row->status = fail(&row->why, UF_EIMPOSSIBLE, "%llu bits for %llu keys are too few for any design",
                       (unsigned long long)question->bits, (unsigned long long)question->n);
}

/* ---- mechanisms ---- */

/* NaN without keys, or when there is no memory for a look: then that is the row's status. */
static double dpset_bits(const struct spec *plan, uint64_t n, uf_design *row)
{
    uint64_t bits = 0;
    const int status = n ? plan_bits(&kind_dpset, plan, &bits, &row->why) : UF_OK;
    if (status == UF_ENOMEM)
        row->status = status;
    return n && status == UF_OK ? (double)bits / (double)n : NAN;
}

/* The smallest there is: one column, half of all accepted. */
static void set_smallest(enum dpset_variant variant, struct spec *spec)
{
    struct variant_choice choice = {.variant = variant, .slack = LEF_SLACK, .lef = {.columns = 1, .accept = 1}};
    choice.radix = (struct radix_design){.accept = 1, .groups = 1, .radix = {2, 0}, .band = eta_layout(0)->band};
    if (variant == DPSET_RADIX)
        choice.slack = eta_layout(0)->least_slack;
    dpset_write_choice(&choice, spec);
}

static void add_no_dpset(struct list *list, const struct question *question, enum dpset_variant variant)
{
    uf_design *row = add_row(list, "dpset");
    struct spec spec = start_spec("dpset", question->n);
    row->variant = variant_names[variant];
    spec_set_number(&spec, "epsilon", question->epsilon);
    set_smallest(variant, &spec);
    const double least = dpset_bits(&spec, question->n, row);
    if (row->status != UF_OK)
        return;
    row->status = fail(&row->why, UF_EIMPOSSIBLE,
                       "bits_per_key=%g is too small for dpset, %s, at epsilon=%g: the smallest has %.2f",
                       question->most_bits, row->variant, question->epsilon, ceil(least * 100) / 100);
}

static void add_dpset(struct list *list, const struct question *question, const struct variant_choice *choice)
{
    uf_design *row = add_row(list, "dpset");
    struct spec spec = start_spec("dpset", question->n);
    row->variant = variant_names[choice->variant];
    spec_set_number(&spec, "epsilon", question->epsilon);
    dpset_write_choice(choice, &spec);
    row->epsilon = question->epsilon;
    row->bits_per_key = dpset_bits(&spec, question->n, row);
    row->build_ns = choice->build_ns;
    row->query_ns = choice->query_ns;
    set_errors(row, choice->fpr, choice->fnr);
    end_spec(&spec, row);
}

/* The best of each variant, and what each preference picks where that is another one. With a size the preferences have
 * nothing to say. */
static void add_dpsets(struct list *list, const struct question *question)
{
    struct variant_wish wish = {.epsilon = question->epsilon, .n = question->n, .most_bits = question->most_bits};
    struct variant_choice choice[DPSET_VARIANTS + PREFERENCES];
    size_t first = list->count, count = 0, same;
    for (unsigned i = DPSET_VARIANTS; i-- > 0;)
        if (variant_best(&wish, (enum dpset_variant)i, &choice[count]))
            add_dpset(list, question, &choice[count++]);
    for (unsigned i = 0; i < PREFERENCES && count; i++) {
        wish.prefer = (enum dpset_prefer)i;
        if (!variant_choose(&wish, &choice[count]))
            continue;
        for (same = 0; !variant_same(&choice[same], &choice[count]);)
            same++;
        if (same == count)
            add_dpset(list, question, &choice[count++]);
        list->design[first + same].prefers |= 1u << i;
    }
    wish.prefer = PREFER_NONE;
    for (unsigned i = DPSET_VARIANTS; i-- > 0;)
        if (!variant_best(&wish, (enum dpset_variant)i, &choice[0]))
            add_no_dpset(list, question, (enum dpset_variant)i);
}

typedef int best_array(double epsilon, uint64_t n, uint64_t bits, struct rr_design *out);

/* `how` is the spec's word for the mechanism. */
static uf_design *add_ultra(struct list *list, const struct question *question, const char *how, best_array *best)
{
    uf_design *row = add_row(list, "ultra");
    struct spec spec = start_spec("ultra", question->n);
    struct rr_design design;
    if (!best(question->epsilon, question->n, question->bits, &design)) {
        too_small(row, question);
        return row;
    }
    row->epsilon = question->epsilon;
    row->t = design.t;
    set_errors(row, design.fpr, design.fnr);
    spec_set_number(&spec, "epsilon", question->epsilon);
    (void)spec_set_text(&spec, "mechanism", how, NULL);
    set_array(row, question, &spec, design.k);
    spec_set_number(&spec, "t", design.t);
    end_spec(&spec, row);
    return row;
}

/* The exact filter of the same bits: what is kept, and filled, and copied with noise. */
static void add_keep(uf_design *row, const struct question *question)
{
    struct spec keep = start_spec("bloom", question->n);
    if (row->status != UF_OK)
        return;
    spec_set_number(&keep, "bits", (double)(question->bits / row->k * row->k));
    spec_set_number(&keep, "k", row->k);
    (void)spec_print(&keep, &row->keep, NULL);
}

static void add_published(struct list *list, const struct question *question)
{
    uf_design *row = add_ultra(list, question, "published", published_best);
    row->mechanism = "published";
    row->epsilon = NAN;
    row->note = "no differential privacy at any epsilon: each bit that is set in the file proves one of the set; for "
                "comparison only";
}

typedef int best_released(double epsilon, uint64_t n, uint64_t universe, uint64_t bits, struct dime_design *out);

static uf_design *add_released(struct list *list, const struct question *question, uint64_t universe,
                               const char *mechanism, best_released *best)
{
    uf_design *row = add_row(list, mechanism);
    struct dime_design design;
    row->universe = universe;
    if (!best(question->epsilon, question->n, universe, question->bits, &design)) {
        too_small(row, question);
        return row;
    }
    struct spec spec = start_spec("bloom", design.released);
    row->epsilon = question->epsilon;
    set_errors(row, design.fpr, design.fnr);
    set_array(row, question, &spec, design.k);
    end_spec(&spec, row);
    return row;
}

static void add_universe(struct list *list, const struct question *question, uint64_t universe)
{
    uf_design *dime = add_released(list, question, universe, "dime", dime_best);
    uf_design *nickel = add_released(list, question, universe, "nickel", nickel_best);
    dime->note = "every key of the universe must be listed; the spec is that of the filter of the released set";
    nickel->epsilon = NAN;
    nickel->note = "hides presence only, by a factor e^epsilon: who is not listed is known to be absent, so it is not "
                   "differential privacy; every key of the universe must be listed";
}

static void add_all(struct list *list, const struct question *question, uint64_t universe)
{
    static const uint64_t guess[] = {2, 16, 1024};
    add_dpsets(list, question);
    add_keep(add_ultra(list, question, "rr", rr_best), question);
    if (universe)
        add_universe(list, question, universe);
    for (size_t i = 0; !universe && question->n && i < sizeof guess / sizeof guess[0]; i++)
        add_universe(list, question, guess[i] * question->n);
    add_published(list, question);
}

/* A row that is missing for lack of memory would pass for one that is not possible. */
static int check_memory(const struct list *list, uf_error *why)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->design[i].status == UF_ENOMEM)
            return fail(why, UF_ENOMEM, "%s", list->design[i].why.text);
    return UF_OK;
}

/* ---- order ---- */

/* 0: differentially private and for any keys, 1: with a universe that must be listed, 2: not private, 3: not possible
 */
static int rank(const uf_design *design)
{
    if (design->status != UF_OK)
        return 3;
    return isnan(design->epsilon) ? 2 : design->universe != 0;
}

static int goes_before(const uf_design *a, const uf_design *b)
{
    double errors_a = a->fpr + a->fnr, errors_b = b->fpr + b->fnr;
    if (rank(a) != rank(b) || rank(a) == 3)
        return rank(a) < rank(b);
    return errors_a < errors_b || (errors_a <= errors_b && a->bits_per_key < b->bits_per_key);
}

/* By insertion: a dozen rows, and equal ones keep their order. */
static void sort(struct list *list)
{
    for (size_t i = 1; i < list->count; i++)
        for (size_t j = i; j > 0 && goes_before(&list->design[j], &list->design[j - 1]); j--) {
            uf_design held = list->design[j];
            list->design[j] = list->design[j - 1];
            list->design[j - 1] = held;
        }
}

/* ---- the question ---- */

static int check(double epsilon, uint64_t n, double bits_per_key, uint64_t universe, uf_error *why)
{
    if (!(epsilon >= EPSILON_LEAST && epsilon <= EPSILON_MOST))
        return fail(
            why, UF_EINVAL,
            "epsilon=%.10g is not possible: it is a number from %g to %g; 1 protects well, above 8 little is left",
            epsilon, EPSILON_LEAST, EPSILON_MOST);
    if (n > MOST_KEYS)
        return fail(why, UF_EINVAL, "n=%llu is more than the 2^40 keys of a private filter", (unsigned long long)n);
    if (!(bits_per_key >= 0 && bits_per_key * fmax((double)n, 1) <= (double)PLAN_MAX_BITS))
        return fail(why, UF_EINVAL, "bits_per_key=%g is not possible: it must be above 0, and n times it at most 2^46",
                    bits_per_key);
    if (universe && universe < n)
        return fail(why, UF_EINVAL, "a universe of %llu keys cannot hold a set of n=%llu", (unsigned long long)universe,
                    (unsigned long long)n);
    return UF_OK;
}

/* An empty set has no bits per key: it gets one word. */
static uint64_t array_bits(uint64_t n, double bits_per_key)
{
    return n ? (uint64_t)((bits_per_key > 0 ? bits_per_key : DEFAULT_BITS) * (double)n) : 64;
}

int uf_designs(double epsilon, uint64_t n, double bits_per_key, uint64_t universe, uf_design *out, size_t size,
               size_t capacity, size_t *count, uf_error *why)
{
    struct list list = {.count = 0};
    struct question question = {epsilon, n, bits_per_key, 0};
    error_clear(why);
    if (!count || (capacity && !out))
        return fail(why, UF_EINVAL, "there is no place for the designs or their count");
    int status = check(epsilon, n, bits_per_key, universe, why);
    if (status != UF_OK)
        return status;
    question.bits = array_bits(n, bits_per_key);
    add_all(&list, &question, universe);
    status = check_memory(&list, why);
    if (status != UF_OK)
        return status;
    sort(&list);
    for (size_t i = 0; status == UF_OK && i < capacity && i < list.count; i++)
        status = sized_write(&list.design[i], sizeof(uf_design), (char *)out + i * size, size);
    if (status != UF_OK)
        return fail(why, status, "a design of %zu bytes was given: its size is sizeof(uf_design)", size);
    *count = list.count;
    return UF_OK;
}

int uf_get_limit(double epsilon, uf_limit *out, size_t size)
{
    if (!(epsilon >= EPSILON_LEAST && epsilon <= EPSILON_MOST))
        return UF_EINVAL;
    struct dp_limit best = dp_limit(epsilon);
    uf_limit limit = {best.fpr, best.fnr, best.sum, best.f1, ideal_bits(epsilon), least_bits(epsilon)};
    return sized_write(&limit, sizeof limit, out, size);
}
