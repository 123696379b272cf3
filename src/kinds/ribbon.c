/* SPDX-License-Identifier: MIT */
/* ribbon: planning, bytes, figures. The layout is in ribbon.h, queries in ribbon_path.h, the build in ribbon_build.c.
 */
#include "ribbon.h"

#include <math.h>
#include <string.h>

#include "filter.h"
#include "plan.h"
#include "status.h"
#include "kinds.h"

/* ---- plan ---- */

uint32_t ribbon_slots(uint64_t keys, uint32_t band, double slack)
{
    double slots = ceil((double)keys * (1 + slack)) + band - 1;
    return (uint32_t)(ceil(slots / 64) * 64);
}

/* Slots of n keys over all shards, on average; rounding to segments adds 32 to each. */
static double total_slots(uint64_t n, uint32_t band, double slack)
{
    uint32_t shards = shards_for(n < RIBBON_MOST_KEYS ? n : RIBBON_MOST_KEYS, RIBBON_SHARD_KEYS);
    if (shards == 1)
        return (double)ribbon_slots(n, band, slack);
    return (double)n * (1 + slack) + (double)shards * (band - 1 + 32);
}

static double rate(uint32_t columns, uint32_t extra)
{
    return ldexp(1 - extra * 0x1p-33, -(int)columns);
}

/* The columns for a rate of at most fpr. extra = 2^32 would be a whole column, so it stays below. */
static void columns_for(double fpr, struct ribbon *out)
{
    int exponent;
    double share = frexp(fpr, &exponent); /* fpr = share * 2^exponent, share in [1/2, 1) */
    double extra = ceil((1 - share) * 0x1p33);
    out->columns = (uint32_t)-exponent;
    out->extra = 0;
    if (extra > UINT32_MAX)
        out->columns++;
    else
        out->extra = (uint32_t)extra;
}

/* The columns that `bits` pay for. */
static void columns_in(double bits, double slots, struct ribbon *out)
{
    double columns = fmin(bits / slots, RIBBON_MOST_COLUMNS);
    out->columns = (uint32_t)columns;
    out->extra = (uint32_t)((columns - floor(columns)) * 0x1p32);
}

static double bits_of(const struct ribbon *ribbon, uint64_t n)
{
    return total_slots(n, ribbon->band, ribbon->slack) * (ribbon->columns + ribbon->extra * 0x1p-32);
}

/* The most keys whose slots fit into `bits` at these columns. */
static uint64_t keys_in(const struct ribbon *ribbon, double bits)
{
    uint64_t low = 0, high = RIBBON_MOST_KEYS + 1;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (bits_of(ribbon, middle) <= bits)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int ribbon_read_plan(const struct spec *plan, struct ribbon *out, uf_error *why)
{
    uint64_t band = 64;
    double slack = -1;
    memset(out, 0, sizeof *out);
    if (spec_get_count(plan, "band", &band, why) < 0 || spec_get_number(plan, "slack", &slack, why) < 0)
        return UF_EINVAL;
    if (band != 64 && band != 128)
        return fail(why, UF_EINVAL, "band=%llu is not possible: it is 64 or 128", (unsigned long long)band);
    if (!spec_text(plan, "slack"))
        slack = 0.05;
    if (!(slack >= 0.01 && slack <= 4))
        return fail(why, UF_EINVAL, "slack=%g is not possible: it is the share of spare slots, 0.01 to 4", slack);
    out->band = (uint32_t)band;
    out->slack = slack;
    return UF_OK;
}

static int request_bits(const struct spec *spec, int has_n, uint64_t n, double *bits, uf_error *why)
{
    double per_key = 0;
    uint64_t total = 0;
    int given = spec_get_count(spec, "bits", &total, why),
        relative = spec_get_number(spec, "bits_per_key", &per_key, why);
    if (given < 0 || relative < 0)
        return UF_EINVAL;
    if (given && relative)
        return fail(why, UF_EINVAL, "bits and bits_per_key say the same thing: give one of them");
    if (relative && has_n && !n)
        relative = 0; /* no keys, no bits: any size will do */
    if (relative && !has_n)
        return fail(why, UF_EINVAL, "bits_per_key=%g needs n, the number of keys", per_key);
    *bits = given ? (double)total : relative ? per_key * (double)n : 0;
    if ((given || relative) && !(*bits > 0 && *bits <= (double)PLAN_MAX_BITS))
        return fail(why, UF_EINVAL, "bits=%g is not possible: it is above 0 and at most 2^46 (8 TiB)", *bits);
    return UF_OK;
}

/* Are these bits no more than what the rate took before a plan rounded it to six digits? */
static int bits_are_of_rate(const struct ribbon *ribbon, uint64_t n, double fpr, double bits)
{
    struct ribbon exact = *ribbon;
    columns_for(fpr * (1 - 1e-5), &exact);
    return bits <= ceil(bits_of(&exact, n));
}

/* n, fpr and bits as in plan.c, with the ribbon's own arithmetic. 0: not said. */
static int resolve(struct ribbon *ribbon, int has_n, uint64_t *n, double fpr, double bits, uf_error *why)
{
    columns_for(fpr > 0 ? fpr : PLAN_DEFAULT_FPR, ribbon);
    if (!has_n && bits <= 0)
        return fail(why, UF_EINVAL, "say how large: n (keys) or bits, as in ribbon:n=1e6,fpr=0.01");
    if (ribbon->columns > RIBBON_MOST_COLUMNS)
        return fail(why, UF_EIMPOSSIBLE, "fpr=%g is below what a ribbon can do: the least is fpr=%.3g", fpr,
                    ldexp(1, -RIBBON_MOST_COLUMNS));
    if (!has_n) {
        *n = keys_in(ribbon, bits);
        return *n ? UF_OK
                  : fail(why, UF_EIMPOSSIBLE, "bits=%.0f holds no key at this fpr; one key takes %.0f", bits,
                         bits_of(ribbon, 1));
    }
    if (bits <= 0) {
        if (bits_of(ribbon, *n) <= (double)PLAN_MAX_BITS && *n <= RIBBON_MOST_KEYS)
            return UF_OK;
        return fail(why, UF_EIMPOSSIBLE,
                    "n=%llu needs more than a ribbon can have, 2^40 keys or 2^46 bits (8 TiB); n=%llu fits",
                    (unsigned long long)*n, (unsigned long long)keys_in(ribbon, (double)PLAN_MAX_BITS));
    }
    struct ribbon paid = *ribbon;
    columns_in(bits, total_slots(*n, ribbon->band, ribbon->slack), &paid);
    if (!paid.columns && !paid.extra)
        return fail(why, UF_EIMPOSSIBLE, "bits=%.3g hold nothing of n=%llu keys; at fpr=%g these take %.0f", bits,
                    (unsigned long long)*n, fpr > 0 ? fpr : PLAN_DEFAULT_FPR, ceil(bits_of(ribbon, *n)));
    double best = rate(paid.columns, paid.extra);
    /* The bits of a plan are rounded: allow for that when a plan is read again. */
    if (fpr > 0 && best > fpr * (1 + 1e-4))
        return fail(why, UF_EIMPOSSIBLE,
                    "n=%llu at fpr=%g needs %.0f bits; with bits=%.0f the best is fpr=%.3g, or n=%llu at fpr=%g",
                    (unsigned long long)*n, fpr, ceil(bits_of(ribbon, *n)), bits, plan_offer(best),
                    (unsigned long long)keys_in(ribbon, bits), fpr);
    if (*n > RIBBON_MOST_KEYS)
        return fail(why, UF_EIMPOSSIBLE, "n=%llu is more than a ribbon can hold: n=2^40 fits", (unsigned long long)*n);
    /* Bits that the rate takes anyhow, as in a plan that is read again, leave the rate as it is said. */
    if (fpr <= 0 || !bits_are_of_rate(ribbon, *n, fpr, bits))
        *ribbon = paid;
    return UF_OK;
}

static int ribbon_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    (void)ops;
    struct ribbon ribbon;
    uint64_t n = 0;
    double fpr = 0, bits = 0;
    int has_n = spec_get_count(spec, "n", &n, why), has_fpr = spec_get_number(spec, "fpr", &fpr, why);
    int status = has_n < 0 || has_fpr < 0 ? UF_EINVAL : ribbon_read_plan(spec, &ribbon, why);
    if (status == UF_OK && has_fpr)
        status = plan_check_fpr(fpr, why);
    if (status == UF_OK)
        status = request_bits(spec, has_n, n, &bits, why);
    if (status == UF_OK)
        status = resolve(&ribbon, has_n, &n, fpr, bits, why);
    if (status != UF_OK)
        return status;
    plan_set_fpr(spec, rate(ribbon.columns, ribbon.extra));
    spec_remove(spec, "bits_per_key");
    spec_set_number(spec, "n", (double)n);
    const int is_plan = has_n && has_fpr && bits_are_of_rate(&ribbon, n, fpr, bits);
    spec_set_number(spec, "bits", fmax(ceil(bits_of(&ribbon, n)), is_plan ? floor(bits) : 0));
    spec_set_number(spec, "band", ribbon.band);
    spec_set_number(spec, "slack", ribbon.slack);
    return UF_OK;
}

static int ribbon_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    struct ribbon *ribbon = PARAMS(struct ribbon, filter);
    double fpr = 0;
    int status = ribbon_read_plan(plan, ribbon, why);
    if (status == UF_OK && spec_get_number(plan, "fpr", &fpr, why) == 1)
        columns_for(fpr, ribbon);
    return status;
}

/*
 * How the keys fall into shards decides how many segments are rounded up. One shard is exact; for more, each has at
 * most one segment, one band and one key's rounding beyond its share, and of the segments with the extra column at most
 * four beyond theirs.
 */
static uint64_t most_words(const struct ribbon *ribbon)
{
    double shards = ribbon->shards, extra = ribbon->extra * 0x1p-32;
    if (ribbon->shards == 1)
        return ribbon_shard_words(ribbon, ribbon_slots(ribbon->n, ribbon->band, ribbon->slack));
    double segments = ((double)ribbon->n * (1 + ribbon->slack) + shards * (ribbon->band + 64)) / 64;
    return (uint64_t)ceil(segments * (ribbon->columns + extra) + (ribbon->extra ? 4 * shards : 0)) + 1;
}

static int ribbon_most_words(const struct spec *plan, uint64_t *words, uf_error *why)
{
    struct ribbon ribbon;
    double fpr = PLAN_DEFAULT_FPR;
    int status = ribbon_read_plan(plan, &ribbon, why);
    if (status != UF_OK || spec_get_count(plan, "n", &ribbon.n, why) < 0 || spec_get_number(plan, "fpr", &fpr, why) < 0)
        return UF_EINVAL;
    columns_for(fpr, &ribbon);
    ribbon.shards = shards_for(ribbon.n, RIBBON_SHARD_KEYS);
    *words = (uint64_t)ribbon.shards * RIBBON_TABLE_WORDS + most_words(&ribbon) + RIBBON_PAD_WORDS;
    return UF_OK;
}

/* ---- queries: by the path of this machine ---- */

static void ribbon_bind(struct uf_filter *filter)
{
    const struct ribbon *ribbon = CONST_PARAMS(struct ribbon, filter);
    int narrow = ribbon->columns >= 1 && ribbon->columns + (ribbon->extra != 0) <= 8;
    enum ribbon_width width = ribbon->band == 128 ? RIBBON_128 : narrow ? RIBBON_NARROW : RIBBON_64;
    switch (linear_path(filter->cpu)) {
    case UF_CPU_NEON:
        filter->calls = ribbon_neon[width];
        break;
    case UF_CPU_AVX2:
        filter->calls = ribbon_avx2[width];
        break;
    case UF_CPU_AVX512:
        filter->calls = ribbon_avx512[width];
        break;
    default:
        filter->calls = ribbon_scalar[width];
    }
}

/* ---- bytes ---- */

static void ribbon_encode(const struct uf_filter *filter, struct writer *writer)
{
    const struct ribbon *ribbon = CONST_PARAMS(struct ribbon, filter);
    write_uint(writer, ribbon->n, 8);
    write_uint(writer, ribbon->words, 8);
    write_uint(writer, ribbon->shards, 4);
    write_uint(writer, ribbon->columns, 4);
    write_uint(writer, ribbon->extra, 4);
    write_uint(writer, ribbon->band, 4);
    write_double(writer, ribbon->slack);
}

static int ribbon_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    struct ribbon *ribbon = PARAMS(struct ribbon, filter);
    ribbon->n = read_uint(reader, 8);
    ribbon->words = read_uint(reader, 8);
    ribbon->shards = (uint32_t)read_uint(reader, 4);
    ribbon->columns = (uint32_t)read_uint(reader, 4);
    ribbon->extra = (uint32_t)read_uint(reader, 4);
    ribbon->band = (uint32_t)read_uint(reader, 4);
    ribbon->slack = read_double(reader);
    if (ribbon->n > RIBBON_MOST_KEYS || ribbon->shards != shards_for(ribbon->n, RIBBON_SHARD_KEYS) ||
        ribbon->words > PLAN_MAX_BITS / 64 || ribbon->columns > RIBBON_MOST_COLUMNS ||
        (ribbon->band != 64 && ribbon->band != 128) || !(ribbon->slack >= 0.01 && ribbon->slack <= 4))
        return fail(why, UF_EFORMAT, "is damaged: no ribbon filter has these parameters");
    uint64_t words = (uint64_t)ribbon->shards * RIBBON_TABLE_WORDS + ribbon->words + RIBBON_PAD_WORDS;
    if (words > SIZE_MAX / 8)
        return fail(why, UF_ENOMEM, "a filter of %llu words does not fit into this machine's memory",
                    (unsigned long long)words);
    filter->word_count = (size_t)words;
    return UF_OK;
}

static size_t ribbon_table_words(const struct uf_filter *filter)
{
    return (size_t)CONST_PARAMS(struct ribbon, filter)->shards * RIBBON_TABLE_WORDS;
}

/* Every shard begins where the one before it ends, and the last ends where the words do. */
static int ribbon_check(const struct uf_filter *filter, uf_error *why)
{
    const struct ribbon *ribbon = CONST_PARAMS(struct ribbon, filter);
    uint64_t offset = 0;
    for (uint64_t i = 0; i < ribbon->shards; i++) {
        struct ribbon_shard shard = ribbon_shard_at(filter_table(filter), (uint32_t)i);
        if (shard.offset != offset || shard.slots < ribbon->band || shard.slots % 64 || shard.slots > RIBBON_MOST_SLOTS)
            return fail(why, UF_EFORMAT, "is damaged: shard %llu is out of place", (unsigned long long)i);
        offset += ribbon_shard_words(ribbon, shard.slots);
        if (offset > ribbon->words)
            break;
    }
    if (offset != ribbon->words)
        return fail(why, UF_EFORMAT, "is damaged: the shards do not add up to the size");
    for (size_t i = filter->word_count - RIBBON_PAD_WORDS; i < filter->word_count; i++)
        if (filter->words[i])
            return fail(why, UF_EFORMAT, "is damaged: the padding is not zero");
    return UF_OK;
}

/* ---- figures ---- */

static void ribbon_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct ribbon *ribbon = CONST_PARAMS(struct ribbon, filter);
    spec_set_number(plan, "n", (double)ribbon->n);
    plan_set_fpr(plan, rate(ribbon->columns, ribbon->extra));
    spec_set_number(plan, "bits", ceil(bits_of(ribbon, ribbon->n))); /* as planned: a twin is planned, too */
    spec_set_number(plan, "band", ribbon->band);
    spec_set_number(plan, "slack", ribbon->slack);
}

static void ribbon_capacity(const struct uf_filter *filter, struct planned *out)
{
    *out = (struct planned){.n = CONST_PARAMS(struct ribbon, filter)->n};
}

static void ribbon_info(const struct uf_filter *filter, uf_info *out)
{
    const struct ribbon *ribbon = CONST_PARAMS(struct ribbon, filter);
    double slots = 0;
    for (uint64_t i = 0; i < ribbon->shards; i++)
        slots += ribbon_shard_at(filter_table(filter), (uint32_t)i).slots;
    out->capacity = ribbon->n;
    out->bits = ribbon->words * 64;
    out->count_estimate = (double)ribbon->n;
    out->fill = (double)ribbon->n / slots;
    out->fpr_now = rate(ribbon->columns, ribbon->extra);
}

static void ribbon_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct ribbon *ribbon = CONST_PARAMS(struct ribbon, filter);
    out->fpr = rate(ribbon->columns, ribbon->extra);
    out->proof = "docs/kinds.md#ribbon";
}

static const char *const names[] = {"n", "fpr", "bits", "bits_per_key", "band", "slack", NULL};

const struct filter_ops kind_ribbon = {
    .name = "ribbon",
    .about = "static, near the space limit: a third smaller, no inserts, no merging",
    .names = names,
    .id = 3,
    .hash = HASH_XXH3,
    .child_factor = 1.06, /* 5 % of spare slots */
    .plan = ribbon_plan,
    .shape = ribbon_shape,
    .bind = ribbon_bind,
    .most_words = ribbon_most_words,
    .solve = ribbon_solve,
    .encode = ribbon_encode,
    .decode = ribbon_decode,
    .table_words = ribbon_table_words,
    .check = ribbon_check,
    .capacity = ribbon_capacity,
    .describe = ribbon_describe,
    .info = ribbon_info,
    .claim = ribbon_claim,
};
