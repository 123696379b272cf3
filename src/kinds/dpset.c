/* SPDX-License-Identifier: MIT */
/* dpset: planning, bytes, figures. What it is and its layout are in dpset.h, queries in dpset_query.h, the build in
 * dpset_build.c. */
#include "dpset.h"

#include <math.h>
#include <string.h>

#include "count.h"
#include "design.h"
#include "plan.h"
#include "private.h"
#include "rounding.h"
#include "status.h"
#include "kinds.h"

#define MOST_SLACK 4

/* ---- plan ---- */

/* LEF_ETA was measured for this much; less would make it a guess. */
static int read_slack(const struct spec *spec, double *slack, uf_error *why)
{
    *slack = LEF_SLACK;
    if (spec_get_number(spec, "slack", slack, why) < 0)
        return UF_EINVAL;
    if (*slack >= LEF_SLACK && *slack <= MOST_SLACK)
        return UF_OK;
    return fail(why, UF_EINVAL, "slack=%g is not possible: it is the share of spare slots, %g to %d", *slack, LEF_SLACK,
                MOST_SLACK);
}

static int read_variant(const struct spec *spec, int *dyadic, uf_error *why)
{
    const char *variant = spec_text(spec, "variant");
    *dyadic = !variant || !strcmp(variant, "dyadic");
    if (*dyadic || !strcmp(variant, "integer"))
        return UF_OK;
    return fail(why, UF_EINVAL, "variant=%s is not known: it is dyadic or integer", variant);
}

static int read_most_bits(const struct spec *spec, double *most, uf_error *why)
{
    *most = 0;
    int given = spec_get_number(spec, "bits_per_key", most, why);
    if (given < 0)
        return UF_EINVAL;
    if (!given || *most > 0)
        return UF_OK;
    return fail(why, UF_EINVAL, "bits_per_key=%g is not possible: it must be above 0", *most);
}

/* ---- layout ---- */

/* The groups of `accept`, and the share of planted keys that reach each. 0 when it has too many ones. */
static uint32_t cut_groups(const struct dpset *dpset, struct dpset_group group[DPSET_MOST_GROUPS],
                           double share[DPSET_MOST_GROUPS])
{
    uint32_t groups = 0, top = dpset->columns;
    double left = 1;
    if (!dpset->dyadic) {
        group[0] = (struct dpset_group){.columns = dpset->columns};
        share[0] = 1;
        return 1;
    }
    for (uint32_t bit = dpset->columns; bit-- > 0;) {
        if (!(dpset->accept >> bit & 1))
            continue;
        if (groups == DPSET_MOST_GROUPS)
            return 0;
        group[groups] = (struct dpset_group){.low = bit, .columns = top - bit};
        share[groups++] = left;
        left -= ldexp(1, (int)bit) / (double)dpset->accept; /* decided here */
        top = bit;
    }
    return groups;
}

static int legal(const struct dpset *dpset)
{
    struct dpset_group group[DPSET_MOST_GROUPS];
    double share[DPSET_MOST_GROUPS];
    return dpset->n <= PRIVATE_MOST_KEYS && dpset->columns >= 1 && dpset->columns <= DPSET_MOST_COLUMNS &&
           dpset->accept >= 1 && dpset->accept <= UINT64_C(1) << (dpset->columns - 1) && dpset->erase >= 1 &&
           dpset->dyadic <= 1 && cut_groups(dpset, group, share);
}

static double epsilon_of(const struct dpset *dpset)
{
    return lef_epsilon(dpset->erase, dpset->columns, dpset->accept);
}

/* Sizes come from the capacity of a shard, that is its share of n and six standard deviations, and for each group of
 * the keys that reach it and four of theirs. */
static void size_groups(struct dpset *dpset)
{
    double share[DPSET_MOST_GROUPS], each = (double)dpset->n / dpset->shards;
    double planted = 1 - threshold_rate(dpset->erase), capacity = dpset->shards > 1 ? each + 6 * sqrt(each) : each;
    dpset->groups = cut_groups(dpset, dpset->group, share);
    for (uint32_t i = 0; i < dpset->groups; i++) {
        double reach = planted * share[i], keys = capacity * reach;
        double slots = (keys + 4 * sqrt(keys * (1 - reach) + 1)) * (1 + dpset->slack) + DPSET_BAND;
        dpset->group[i].slots = (uint32_t)(ceil(slots / 64) * 64);
    }
}

/* Where each group is in a shard, and how long all is. */
static int set_words(struct uf_filter *filter, uf_error *why)
{
    struct dpset *dpset = PARAMS(struct dpset, filter);
    uint64_t words = 0;
    for (uint32_t i = 0; i < dpset->groups; i++) {
        dpset->group[i].offset = (uint32_t)words;
        words += (uint64_t)dpset->group[i].slots / 64 * dpset->group[i].columns;
    }
    uint64_t total = dpset->shards * (words + DPSET_SEED_WORDS) + DPSET_PAD_WORDS;
    if (total > PLAN_MAX_BITS / 64 || total > SIZE_MAX / 8)
        return fail(why, UF_ENOMEM, "a filter of %llu words does not fit into this machine's memory",
                    (unsigned long long)total);
    dpset->shard_words = (uint32_t)words; /* 32 columns of 5 * 2^17 slots at most */
    filter->word_count = (size_t)total;
    return UF_OK;
}

/* ---- the best design ---- */

/* What a plan is made for. */
struct wish {
    double epsilon, slack, most_bits; /* most_bits: per key, 0 when it was not said */
    uint64_t n;
    int dyadic;
};

/* Bits per key of the filter itself: small ones need more than the formula for large n says, as slots come in words and
 * shards have spare room. */
static double real_bits(const struct wish *wish, const struct lef_design *design)
{
    struct dpset dpset = {.n = wish->n,
                          .erase = design->erase,
                          .accept = design->accept,
                          .slack = wish->slack,
                          .columns = design->columns,
                          .shards = shards_for(wish->n, DPSET_SHARD_KEYS),
                          .dyadic = (uint32_t)wish->dyadic};
    double words = 0;
    size_groups(&dpset);
    for (uint32_t i = 0; i < dpset.groups; i++)
        words += (double)dpset.group[i].slots / 64 * dpset.group[i].columns;
    return words * 64 * dpset.shards / (double)wish->n;
}

/* From the best design that the formula allows down to the best that really fits. */
static int choose_design(const struct wish *wish, struct lef_design *out)
{
    double most = wish->most_bits;
    int found = lef_choose(wish->epsilon, wish->slack, wish->dyadic, most, out);
    while (found && most > 0 && wish->n && real_bits(wish, out) > wish->most_bits) {
        most = nextafter(out->bits, 0);
        found = most > 0 && lef_choose(wish->epsilon, wish->slack, wish->dyadic, most, out);
    }
    return found;
}

static int no_space(const struct wish *wish, uf_error *why)
{
    struct lef_design least;
    if (!lef_choose(wish->epsilon, wish->slack, wish->dyadic, 0, &least))
        return fail(why, UF_EIMPOSSIBLE, "there is no dpset at epsilon=%g", wish->epsilon);
    return fail(why, UF_EIMPOSSIBLE,
                "no dpset at epsilon=%g fits into bits_per_key=%g; at the limit of accuracy it takes %.2f",
                wish->epsilon, wish->most_bits, wish->n ? real_bits(wish, &least) : least.bits);
}

/* Everything that a plan says, but for the layout. */
static int read_design(const struct spec *plan, struct dpset *dpset, uf_error *why)
{
    struct private_request request;
    uint64_t columns = 0;
    int dyadic = 1;
    memset(dpset, 0, sizeof *dpset);
    if (private_read(plan, &request, why) != UF_OK || read_slack(plan, &dpset->slack, why) != UF_OK ||
        read_variant(plan, &dyadic, why) != UF_OK || spec_get_count(plan, "columns", &columns, why) < 0 ||
        spec_get_count(plan, "accept", &dpset->accept, why) < 0)
        return UF_EINVAL;
    dpset->n = request.n;
    dpset->count_noise = request.count_noise;
    dpset->columns = columns <= DPSET_MOST_COLUMNS ? (uint32_t)columns : 0;
    dpset->dyadic = (uint32_t)dyadic;
    dpset->erase = erase_threshold(request.epsilon);
    dpset->shards = shards_for(dpset->n, DPSET_SHARD_KEYS);
    if (!legal(dpset))
        return fail(why, UF_EINVAL, "columns=%llu and accept=%llu make no %s dpset", (unsigned long long)columns,
                    (unsigned long long)dpset->accept, dyadic ? "dyadic" : "integer");
    if (epsilon_of(dpset) <= request.epsilon)
        return UF_OK;
    return fail(why, UF_EINVAL, "accept=%llu of 2^%u would break epsilon=%g: take at least %llu",
                (unsigned long long)dpset->accept, dpset->columns, request.epsilon,
                (unsigned long long)lef_accept(request.epsilon, dpset->columns));
}

static int dpset_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    (void)ops;
    struct private_request request;
    struct lef_design design;
    struct dpset trial;
    double slack, most_bits;
    int dyadic, status = private_read(spec, &request, why);
    if (status == UF_OK)
        status = read_slack(spec, &slack, why);
    if (status == UF_OK)
        status = read_variant(spec, &dyadic, why);
    if (status == UF_OK)
        status = read_most_bits(spec, &most_bits, why);
    if (status != UF_OK)
        return status;
    int has_columns = spec_text(spec, "columns") != NULL, has_accept = spec_text(spec, "accept") != NULL;
    if (has_columns != has_accept)
        return fail(why, UF_EINVAL, "columns and accept belong together: give both or neither");
    if (has_columns && most_bits > 0)
        return fail(why, UF_EINVAL, "bits_per_key is there to choose columns and accept: give it or them");
    if (!has_columns) {
        const struct wish wish = {request.epsilon, slack, most_bits, request.n, dyadic};
        if (!choose_design(&wish, &design))
            return no_space(&wish, why);
        spec_set_number(spec, "columns", design.columns);
        spec_set_number(spec, "accept", (double)design.accept);
    }
    spec_remove(spec, "bits_per_key");
    private_write(spec, &request);
    (void)spec_set_text(spec, "variant", dyadic ? "dyadic" : "integer", why);
    spec_set_number(spec, "slack", slack);
    return read_design(spec, &trial, why);
}

static int dpset_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    struct dpset *dpset = PARAMS(struct dpset, filter);
    int status = read_design(plan, dpset, why);
    if (status != UF_OK)
        return status;
    dpset->mixed = dpset->shards > 1;
    size_groups(dpset);
    return set_words(filter, why);
}

/* ---- calls ---- */

const struct dpset_calls *dpset_calls_for(int cpu)
{
    if (aes_best() != AES_INSTRUCTIONS)
        return &dpset_portable;
    switch (linear_path(cpu)) {
    case UF_CPU_NEON:
        return &dpset_neon;
    case UF_CPU_AVX2:
        return &dpset_avx2;
    case UF_CPU_AVX512:
        return &dpset_avx512;
    default:
        return &dpset_portable;
    }
}

static void dpset_bind(struct uf_filter *filter)
{
    struct dpset *dpset = PARAMS(struct dpset, filter);
    const struct dpset_calls *calls = dpset_calls_for(filter->cpu);
    aes_expand(dpset->prf, calls == &dpset_portable ? AES_BITSLICED : AES_INSTRUCTIONS, &dpset->key);
    filter->calls = calls->filter;
}

/* ---- bytes ---- */

/* The number in a file that tells the variants apart. */
enum { DYADIC = 1, MIXED = 2 };

static void dpset_encode(const struct uf_filter *filter, struct writer *writer)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    write_uint(writer, dpset->n, 8);
    write_uint(writer, dpset->erase, 8);
    write_uint(writer, dpset->accept, 8);
    write_uint(writer, dpset->count_noise, 8);
    write_uint(writer, dpset->prf[0], 8);
    write_uint(writer, dpset->prf[1], 8);
    write_uint(writer, dpset->columns, 4);
    write_uint(writer, dpset->shards, 4);
    write_uint(writer, (dpset->dyadic ? DYADIC : 0) | (dpset->mixed ? MIXED : 0), 4);
    write_uint(writer, dpset->groups, 4);
    write_double(writer, dpset->slack);
    for (uint32_t i = 0; i < dpset->groups; i++)
        write_uint(writer, dpset->group[i].slots, 4);
}

/* Slots are stored, since the rounding of their formula may depend on the machine: by one step, and no more. With fewer
 * the promise would not hold. */
static int read_groups(struct dpset *dpset, struct reader *reader)
{
    uint64_t groups = read_uint(reader, 4);
    dpset->slack = read_double(reader);
    if (!(dpset->slack >= LEF_SLACK && dpset->slack <= MOST_SLACK))
        return 0;
    size_groups(dpset);
    if (groups != dpset->groups)
        return 0;
    for (uint32_t i = 0; i < dpset->groups; i++) {
        uint32_t slots = (uint32_t)read_uint(reader, 4), *expected = &dpset->group[i].slots;
        if (slots % 64 || slots < DPSET_BAND || slots + 64 < *expected || slots > *expected + 64)
            return 0;
        *expected = slots;
    }
    return 1;
}

static int dpset_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    struct dpset *dpset = PARAMS(struct dpset, filter);
    memset(dpset, 0, sizeof *dpset);
    dpset->n = read_uint(reader, 8);
    dpset->erase = read_uint(reader, 8);
    dpset->accept = read_uint(reader, 8);
    dpset->count_noise = read_uint(reader, 8);
    dpset->prf[0] = read_uint(reader, 8);
    dpset->prf[1] = read_uint(reader, 8);
    dpset->columns = (uint32_t)read_uint(reader, 4);
    dpset->shards = (uint32_t)read_uint(reader, 4);
    uint64_t variant = read_uint(reader, 4);
    dpset->dyadic = (variant & DYADIC) != 0;
    dpset->mixed = (variant & MIXED) != 0;
    if (variant > (DYADIC | MIXED) || (dpset->mixed && dpset->shards < 2) || !legal(dpset) ||
        dpset->shards != shards_for(dpset->n, DPSET_SHARD_KEYS) || !read_groups(dpset, reader))
        return fail(why, UF_EFORMAT, "is damaged: no dpset filter has these parameters");
    return set_words(filter, why);
}

static int dpset_check(const struct uf_filter *filter, uf_error *why)
{
    for (size_t i = filter->word_count - DPSET_PAD_WORDS; i < filter->word_count; i++)
        if (filter->words[i])
            return fail(why, UF_EFORMAT, "is damaged: the padding is not zero");
    return UF_OK;
}

/* ---- figures ---- */

static void dpset_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    double asked = fmax(erase_asked(dpset->erase), epsilon_of(dpset));
    private_write(plan, &(struct private_request){dpset->n, asked, 0});
    (void)spec_set_text(plan, "variant", dpset->dyadic ? "dyadic" : "integer", NULL);
    spec_set_number(plan, "columns", dpset->columns);
    spec_set_number(plan, "accept", (double)dpset->accept);
    spec_set_number(plan, "slack", dpset->slack);
}

static void dpset_capacity(const struct uf_filter *filter, struct planned *out)
{
    *out = (struct planned){.n = CONST_PARAMS(struct dpset, filter)->n};
}

static void dpset_info(const struct uf_filter *filter, uf_info *out)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    out->capacity = dpset->n;
    out->bits = (uint64_t)dpset->shards * dpset->shard_words * 64;
}

static void dpset_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    double f = ldexp((double)dpset->accept, -(int)dpset->columns);
    private_claim(out, epsilon_of(dpset), dpset->count_noise);
    out->delta += dpset->shards > 1 ? DPSET_CROWDED : 0;
    out->fpr = f;
    out->fnr = threshold_rate(dpset->erase) * (1 - f);
    out->proof = "docs/privacy.md#dpset";
    out->rests_on = "a measured number: that the equations of one more key follow from the others with a chance of at "
                    "most 1e-4 (eta) was sampled, not proved; without it twice epsilon is proved";
}

static const char *const names[] = {"n",     "epsilon", "count_epsilon", "bits_per_key", "variant", "columns", "accept",
                                    "slack", NULL};

const struct filter_ops kind_dpset = {
    .name = "dpset",
    .about = "private: may be published; the best accuracy that epsilon allows",
    .names = names,
    .id = 5,
    .hash = HASH_XXH3,
    .declared = 1,
    .coins = "coins",
    .own_claim = 1,
    .plan = dpset_plan,
    .shape = dpset_shape,
    .bind = dpset_bind,
    .solve = dpset_solve,
    .encode = dpset_encode,
    .decode = dpset_decode,
    .check = dpset_check,
    .capacity = dpset_capacity,
    .describe = dpset_describe,
    .info = dpset_info,
    .claim = dpset_claim,
};
