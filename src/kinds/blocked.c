/* SPDX-License-Identifier: MIT */
/*
 * blocked: one cache line per key, the fast default. Layout and positions in blocked.h, rate in core/rates.h.
 *
 * A query touches one line, so that many queries run at the speed of memory. The price is uneven blocks: at 1 % it
 * takes 10.1 bits per key where the classic filter takes 9.6.
 *
 * Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters", WEA 2007.
 */
#include "blocked.h"

#include <math.h>
#include <string.h>

#include "bits.h"
#include "plan.h"
#include "rates.h"
#include "blocked_part.h"
#include "status.h"
#include "kinds.h"

void blocked_add_shared(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict);

static const unsigned legal_k[] = {8, 16, 0};

static uint64_t unit_bits(unsigned k)
{
    (void)k;
    return BLOCK_BITS;
}

static const struct plan_rules rules = {rate_blocked, 16, legal_k, unit_bits, 0};

static int blocked_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    (void)ops;
    return parts_plan(spec, &rules, why);
}

static int set_shape(struct uf_filter *filter, uint64_t n, uint64_t blocks, unsigned k, uf_error *why)
{
    if (blocks > SIZE_MAX / 8 / BLOCK_WORDS)
        return fail(why, UF_ENOMEM, "a filter of %llu blocks does not fit into this machine's memory",
                    (unsigned long long)blocks);
    *PARAMS(struct blocked, filter) = (struct blocked){blocks, n, k, 0};
    filter->word_count = (size_t)(blocks * BLOCK_WORDS);
    return UF_OK;
}

static int blocked_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    struct plan_shape shape;
    int status = plan_read(plan, &rules, &shape, why);
    return status == UF_OK ? set_shape(filter, shape.n, shape.units, shape.k, why) : status;
}

/* ---- queries and inserts: by the path of this machine ---- */

static void blocked_bind(struct uf_filter *filter)
{
    unsigned which = CONST_PARAMS(struct blocked, filter)->k == 16;
    switch (filter->cpu) {
    case UF_CPU_NEON:
        filter->calls = blocked_neon[which];
        break;
    case UF_CPU_AVX2:
        filter->calls = blocked_avx2[which];
        break;
    case UF_CPU_AVX512:
        filter->calls = blocked_avx512[which];
        break;
    default:
        filter->calls = blocked_scalar[which];
    }
}

/* A place is a block, and what happens there is h.lo. */
static uint64_t blocked_places(const struct uf_filter *filter)
{
    return CONST_PARAMS(struct blocked, filter)->blocks;
}

INLINE void push(const void *self, struct hash128 hash, const struct scatter *to)
{
    scatter_push(to, mul_high(hash.hi, *(const uint64_t *)self), hash.lo);
}

static void blocked_scatter(const struct uf_filter *filter, struct hash_source *source, size_t count,
                            const struct scatter *to)
{
    uint64_t blocks = CONST_PARAMS(struct blocked, filter)->blocks;
    scatter_run(&blocks, source, count, to, push);
}

static void blocked_merge(struct uf_filter *into, const struct uf_filter *from, size_t first, size_t count)
{
    bits_or(into->words + first, from->words + first, count);
}

/* ---- bytes ---- */

static void blocked_encode(const struct uf_filter *filter, struct writer *writer)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    write_uint(writer, blocked->n, 8);
    write_uint(writer, blocked->blocks, 8);
    write_uint(writer, blocked->k, 4);
}

static int blocked_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    uint64_t n = read_uint(reader, 8), blocks = read_uint(reader, 8), k = read_uint(reader, 4);
    if (n > UINT64_C(1) << 53 || (k != 8 && k != 16) || blocks < 1 || blocks > PLAN_MAX_BITS / BLOCK_BITS)
        return fail(why, UF_EFORMAT, "is damaged: no blocked filter has n=%llu, k=%llu and %llu blocks",
                    (unsigned long long)n, (unsigned long long)k, (unsigned long long)blocks);
    return set_shape(filter, n, blocks, (unsigned)k, why);
}

/* ---- figures ---- */

static void blocked_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    spec_set_number(plan, "n", (double)blocked->n);
    plan_set_fpr(plan, rate_blocked(blocked->n, blocked->blocks, blocked->k));
    spec_set_number(plan, "bits", (double)(blocked->blocks * BLOCK_BITS));
    spec_set_number(plan, "k", blocked->k);
}

/* The product of a full block's ones. */
static double full_product(unsigned k)
{
    return k == 8 ? 0x1p48 : 0x1p80;
}

/* The sum over all blocks of the share that each of them accepts: as a measure, and as it is. */
struct shares {
    uint64_t ones, measure;
    double sum;
};

INLINE void add_shares(const struct uf_filter *filter, unsigned k, double scale, struct shares *out)
{
    for (size_t i = 0; i < filter->word_count; i += BLOCK_WORDS) {
        uint8_t ones[16];
        double product = 1;
        blocked_ones(filter->words + i, k, ones);
        for (unsigned j = 0; j < k; j++) {
            out->ones += ones[j];
            product *= ones[j];
        }
        uint64_t share = blocked_share(ones, k, scale);
        out->measure = out->measure + share < share ? UINT64_MAX : out->measure + share;
        out->sum += product;
    }
    out->sum /= full_product(k);
}

static struct shares shares_of(const struct uf_filter *filter)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    struct shares shares = {0, 0, 0};
    if (blocked->k == 8)
        add_shares(filter, 8, blocked->scale, &shares);
    else
        add_shares(filter, 16, blocked->scale, &shares);
    return shares;
}

/* A full block is 2^55 or, where the limit is more than one block, so much less that the limit is below 2^56: nothing
 * overflows, and what truncation leaves out is below 10^-5 of a limit. */
static uint64_t blocked_limit(struct uf_filter *filter)
{
    struct blocked *blocked = PARAMS(struct blocked, filter);
    double limit = limit_blocks(blocked->n, blocked->blocks, blocked->k), unit = ldexp(1, 55 - ilogb(fmax(limit, 1)));
    blocked->scale = unit / full_product(blocked->k);
    return (uint64_t)(limit * unit);
}

static double blocked_most_rate(const struct uf_filter *filter)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    return fmin(limit_blocks(blocked->n, blocked->blocks, blocked->k) / (double)blocked->blocks, 1);
}

static void blocked_capacity(const struct uf_filter *filter, struct planned *out)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    *out = (struct planned){blocked->n, blocked->k, rate_blocked(blocked->n, blocked->blocks, blocked->k)};
}

/* A given bit stays zero with chance (1 - 1/cells)^n, cells = blocks * lane bits: the mean fill gives n. */
static double keys_by_ones(const struct blocked *blocked, uint64_t ones)
{
    double bits = (double)blocked->blocks * BLOCK_BITS;
    return log1p(-(double)ones / bits) / log1p(-(double)blocked->k / bits);
}

static void blocked_survey(const struct uf_filter *filter, struct survey *out)
{
    struct shares shares = shares_of(filter);
    *out = (struct survey){shares.measure, keys_by_ones(CONST_PARAMS(struct blocked, filter), shares.ones)};
}

static void blocked_info(const struct uf_filter *filter, uf_info *out)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    struct shares shares = shares_of(filter);
    out->capacity = blocked->n;
    out->bits = blocked->blocks * BLOCK_BITS;
    out->fpr_now = shares.sum / (double)blocked->blocks;
    out->fill = (double)shares.ones / (double)out->bits;
    out->count_estimate = keys_by_ones(blocked, shares.ones);
}

static void blocked_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    out->fpr = rate_blocked(blocked->n, blocked->blocks, blocked->k);
    out->proof = "docs/kinds.md#blocked";
}

static const char *const names[] = {"n", "fpr", "bits", "bits_per_key", "k", "parts", "part", NULL};

const struct filter_ops kind_blocked = {
    .name = "blocked",
    .about = "one cache line per key: the fastest, grows, merges",
    .names = names,
    .id = 2,
    .hash = HASH_XXH3,
    .block_bits = BLOCK_BITS,
    .child_factor = 1.56, /* blocks that fill unevenly */
    .plan = blocked_plan,
    .shape = blocked_shape,
    .bind = blocked_bind,
    .add_shared = blocked_add_shared,
    .places = blocked_places,
    .scatter = blocked_scatter,
    .capacity = blocked_capacity,
    .survey = blocked_survey,
    .limit = blocked_limit,
    .most_rate = blocked_most_rate,
    .merge = blocked_merge,
    .encode = blocked_encode,
    .decode = blocked_decode,
    .describe = blocked_describe,
    .info = blocked_info,
    .claim = blocked_claim,
};
