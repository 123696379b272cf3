/* SPDX-License-Identifier: MIT */
/* dpset: planning, bytes, figures. What it is and its layout are in dpset.h, queries in dpset_query.h, the build in
 * dpset_build.c. */
#include "dpset.h"

#include <math.h>
#include <string.h>

#include "arith.h"
#include "count.h"
#include "dpset_radix.h"
#include "plan.h"
#include "private.h"
#include "rounding.h"
#include "status.h"
#include "kinds.h"

/* ---- designs ---- */

struct lef_design dpset_lef_design(const struct dpset *dpset)
{
    return (struct lef_design){.erase = dpset->erase,
                               .accept = dpset->accept,
                               .columns = dpset->columns,
                               .dyadic = dpset->variant == DPSET_DYADIC};
}

struct radix_design dpset_radix_design(const struct dpset *dpset)
{
    return (struct radix_design){.erase = dpset->erase,
                                 .accept = dpset->accept <= UINT32_MAX ? (uint32_t)dpset->accept : 0,
                                 .groups = dpset->radix[1] ? 2 : 1,
                                 .radix = {dpset->radix[0], dpset->radix[1]},
                                 .band = dpset->band,
                                 .slack = dpset->slack};
}

static int legal_binary(const struct dpset *dpset)
{
    return dpset->columns >= 1 && dpset->columns <= DPSET_MOST_COLUMNS && dpset->accept >= 1 &&
           dpset->accept <= UINT64_C(1) << (dpset->columns - 1) && dpset->slack >= LEF_SLACK &&
           dpset->slack <= DPSET_MOST_SLACK && dpset->variant <= DPSET_DYADIC &&
           (dpset->variant == DPSET_INTEGER || __builtin_popcountll(dpset->accept) <= DPSET_MOST_GROUPS);
}

int dpset_legal(const struct dpset *dpset)
{
    const struct radix_design design = dpset_radix_design(dpset);
    return dpset->n <= PRIVATE_MOST_KEYS && dpset->erase >= 1 &&
           (dpset->variant == DPSET_RADIX ? radix_legal(&design) : legal_binary(dpset));
}

double dpset_epsilon(const struct dpset *dpset)
{
    const struct radix_design design = dpset_radix_design(dpset);
    return dpset->variant == DPSET_RADIX ? radix_charge(&design)
                                         : lef_epsilon(dpset->erase, dpset->columns, dpset->accept);
}

/* ---- layout ---- */

static void size_binary(struct dpset *dpset)
{
    const struct lef_design design = dpset_lef_design(dpset);
    struct lef_layout layout;
    lef_layout(&design, dpset->n, dpset->slack, &layout);
    dpset->shards = layout.shards;
    dpset->groups = layout.groups;
    for (uint32_t i = 0; i < layout.groups; i++)
        dpset->group[i] = (struct dpset_group){
            .low = layout.group[i].low, .columns = layout.group[i].columns, .slots = layout.group[i].slots};
}

static void size_radix(struct uf_filter *filter)
{
    struct dpset *dpset = PARAMS(struct dpset, filter);
    uint32_t *spread = filter->tail;
    const struct radix_design design = dpset_radix_design(dpset);
    struct radix_layout layout;
    radix_layout(&design, dpset->n, &layout);
    dpset->shards = layout.shards;
    dpset->groups = design.groups;
    dpset->second = 0;
    for (uint32_t i = 0; i < design.groups; i++) {
        const struct radix_group *group = &layout.group[i];
        dpset->group[i] = (struct dpset_group){.slots = group->slots};
        digits_start(design.radix[i], group->packing.numbers, group->packing.bits, &dpset->digits[i],
                     spread + dpset->second);
        dpset->second = i ? dpset->second : dpset->digits[0].low + dpset->digits[0].high;
    }
    dpset->row_bytes = (dpset->band / dpset->digits[0].numbers + 1) * dpset->digits[0].bits / 8;
}

static void size_groups(struct uf_filter *filter)
{
    struct dpset *dpset = PARAMS(struct dpset, filter);
    if (dpset->variant == DPSET_RADIX)
        size_radix(filter);
    else
        size_binary(dpset);
}

static uint64_t group_words(const struct dpset *dpset, uint32_t i)
{
    const struct dpset_group *group = &dpset->group[i];
    if (dpset->variant == DPSET_RADIX)
        return ceil_div((uint64_t)group->slots / dpset->digits[i].numbers * dpset->digits[i].bits, 64);
    return (uint64_t)group->slots / 64 * group->columns;
}

/* Where each group is in a shard, and how long all is. */
static int set_words(struct uf_filter *filter, uf_error *why)
{
    struct dpset *dpset = PARAMS(struct dpset, filter);
    uint64_t words = 0;
    for (uint32_t i = 0; i < dpset->groups; i++) {
        dpset->group[i].offset = (uint32_t)words;
        words += group_words(dpset, i);
    }
    uint64_t total = dpset->shards * (words + DPSET_SEED_WORDS) + DPSET_PAD_WORDS;
    if (total > PLAN_MAX_BITS / 64 || total > SIZE_MAX / 8)
        return fail(why, UF_ENOMEM, "a filter of %llu words does not fit into this machine's memory",
                    (unsigned long long)total);
    dpset->shard_words = (uint32_t)words; /* 32 columns of 5 * 2^17 slots at most */
    filter->word_count = (size_t)total;
    return UF_OK;
}

static int dpset_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    struct dpset *dpset = PARAMS(struct dpset, filter);
    int status = dpset_read_design(plan, dpset, why);
    if (status != UF_OK)
        return status;
    size_groups(filter);
    dpset->mixed = dpset->shards > 1;
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
    dpset->spread = filter->tail;
    filter->calls = calls->filter;
}

/* ---- bytes ---- */

/* The number in a file that tells the variants apart. */
enum { DYADIC = 1, MIXED = 2, RADIX = 4 };

static uint64_t variant_bits(const struct dpset *dpset)
{
    return (dpset->variant == DPSET_DYADIC  ? DYADIC
            : dpset->variant == DPSET_RADIX ? RADIX
                                            : 0) |
           (dpset->mixed ? MIXED : 0);
}

static void dpset_encode(const struct uf_filter *filter, struct writer *writer)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    write_uint(writer, dpset->n, 8);
    write_uint(writer, dpset->erase, 8);
    write_uint(writer, dpset->accept, 8);
    write_uint(writer, dpset->count_noise, 8);
    write_uint(writer, dpset->prf[0], 8);
    write_uint(writer, dpset->prf[1], 8);
    write_uint(writer, dpset->variant == DPSET_RADIX ? dpset->band : dpset->columns, 4);
    write_uint(writer, dpset->shards, 4);
    write_uint(writer, variant_bits(dpset), 4);
    write_uint(writer, dpset->groups, 4);
    write_double(writer, dpset->slack);
    for (uint32_t i = 0; i < dpset->groups; i++) {
        write_uint(writer, dpset->group[i].slots, 4);
        if (dpset->variant == DPSET_RADIX)
            write_uint(writer, dpset->radix[i], 4);
    }
}

/* Slots are stored, since the rounding of their formula may depend on the machine: by one step, and no more. With fewer
 * the promise would not hold. */
static int read_binary(struct uf_filter *filter, uint64_t shards, uint64_t groups, struct reader *reader)
{
    struct dpset *dpset = PARAMS(struct dpset, filter);
    if (!dpset_legal(dpset))
        return 0;
    size_groups(filter);
    if (groups != dpset->groups || shards != dpset->shards)
        return 0;
    for (uint32_t i = 0; i < dpset->groups; i++) {
        uint32_t slots = (uint32_t)read_uint(reader, 4), *expected = &dpset->group[i].slots;
        if (slots % 64 || slots < DPSET_BAND || slots + 64 < *expected || slots > *expected + 64)
            return 0;
        *expected = slots;
    }
    return 1;
}

/* Those of mixed radix are the same everywhere. */
static int read_radix(struct uf_filter *filter, uint64_t shards, uint64_t groups, struct reader *reader)
{
    struct dpset *dpset = PARAMS(struct dpset, filter);
    uint64_t slots[RADIX_GROUPS] = {0, 0};
    dpset->band = dpset->columns;
    dpset->columns = 0;
    for (uint32_t i = 0; i < RADIX_GROUPS && i < groups; i++) {
        slots[i] = read_uint(reader, 4);
        dpset->radix[i] = (uint32_t)read_uint(reader, 4);
    }
    if (groups < 1 || groups > RADIX_GROUPS || (groups > 1) != (dpset->radix[1] > 0) || !dpset_legal(dpset))
        return 0;
    size_groups(filter);
    return shards == dpset->shards && dpset->mixed == (dpset->shards > 1) && slots[0] == dpset->group[0].slots &&
           slots[1] == (groups > 1 ? dpset->group[1].slots : 0);
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
    uint64_t shards = read_uint(reader, 4), variant = read_uint(reader, 4), groups = read_uint(reader, 4);
    dpset->slack = read_double(reader);
    dpset->variant = variant & RADIX ? DPSET_RADIX : variant & DYADIC ? DPSET_DYADIC : DPSET_INTEGER;
    dpset->mixed = (variant & MIXED) != 0;
    int good =
        variant <= (RADIX | MIXED) && (variant & (RADIX | DYADIC)) != (RADIX | DYADIC) && !(dpset->mixed && shards < 2);
    if (good)
        good = (variant & RADIX ? read_radix : read_binary)(filter, shards, groups, reader);
    return good ? set_words(filter, why) : fail(why, UF_EFORMAT, "is damaged: no dpset filter has these parameters");
}

/* A set of numbers has one encoding: of each pack, and zeros behind the last one. */
static int packs_are_canonical(const struct dpset *dpset, uint32_t i, const uint64_t *words)
{
    const struct digits *digits = &dpset->digits[i];
    uint64_t packs = dpset->group[i].slots / digits->numbers, end = packs * digits->bits;
    uint64_t mask = (UINT64_C(1) << digits->bits) - 1;
    for (uint64_t pack = 0; pack < packs; pack++)
        if (!digits_is_fraction(digits, bits_from(words, pack * digits->bits) & mask))
            return 0;
    return end % 64 == 0 || !(words[end / 64] >> end % 64);
}

static int check_packs(const struct uf_filter *filter, uf_error *why)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    for (uint32_t shard = 0; shard < dpset->shards; shard++)
        for (uint32_t i = 0; i < dpset->groups; i++)
            if (!packs_are_canonical(dpset, i, dpset_shard(filter, shard) + dpset->group[i].offset))
                return fail(why, UF_EFORMAT, "is damaged: there are bits that no table of numbers has");
    return UF_OK;
}

static int dpset_check(const struct uf_filter *filter, uf_error *why)
{
    for (size_t i = filter->word_count - DPSET_PAD_WORDS; i < filter->word_count; i++)
        if (filter->words[i])
            return fail(why, UF_EFORMAT, "is damaged: the padding is not zero");
    return CONST_PARAMS(struct dpset, filter)->variant == DPSET_RADIX ? check_packs(filter, why) : UF_OK;
}

/* ---- figures ---- */

static void dpset_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    double asked = fmax(erase_asked(dpset->erase), dpset_epsilon(dpset));
    private_write(plan, &(struct private_request){dpset->n, asked, 0});
    dpset_write_design(dpset, plan);
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

/* A crowded shard of mixed radix is drawn again; one of binary columns is refused, which is a delta. */
static void claim_binary(const struct dpset *dpset, uf_claim *out)
{
    out->delta += dpset->shards > 1 ? DPSET_CROWDED : 0;
    out->fpr = ldexp((double)dpset->accept, -(int)dpset->columns);
    out->fnr = threshold_rate(dpset->erase) * (1 - out->fpr);
    out->rests_on = "a measured number: that the equations of one more key follow from the others with a chance of at "
                    "most 1e-4 (eta) was sampled, not proved; without it twice epsilon is proved";
}

static void claim_radix(const struct dpset *dpset, uf_claim *out)
{
    const struct radix_design design = dpset_radix_design(dpset);
    radix_rates(&design, &out->fpr, &out->fnr);
    out->rests_on =
        "a measured number: that the equations of one more key follow from the others with a chance (eta) of "
        "at most what is charged, 1.5e-3 for each field, is known from samples, 99.9 % sure, and not "
        "proved; without it twice epsilon is proved";
}

static void dpset_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    private_claim(out, dpset_epsilon(dpset), dpset->count_noise);
    out->proof = "docs/privacy.md#dpset";
    if (dpset->variant == DPSET_RADIX)
        claim_radix(dpset, out);
    else
        claim_binary(dpset, out);
}

static const char *const names[] = {"n",       "epsilon", "count_epsilon", "bits_per_key", "prefer", "variant",
                                    "columns", "radix",   "accept",        "band",         "slack",  NULL};

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
    .tail_bytes = DPSET_SPREAD * sizeof(uint32_t),
    .solve = dpset_solve,
    .encode = dpset_encode,
    .decode = dpset_decode,
    .check = dpset_check,
    .capacity = dpset_capacity,
    .describe = dpset_describe,
    .info = dpset_info,
    .claim = dpset_claim,
};
