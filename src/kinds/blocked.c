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
#include "scatter.h"
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
    return plan_resolve(spec, &rules, why);
}

static int set_shape(struct uf_filter *filter, uint64_t n, uint64_t blocks, unsigned k, uf_error *why)
{
    if (blocks > SIZE_MAX / 8 / BLOCK_WORDS)
        return fail(why, UF_ENOMEM, "a filter of %llu blocks does not fit into this machine's memory",
                    (unsigned long long)blocks);
    *PARAMS(struct blocked, filter) = (struct blocked){n, blocks, k};
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

/* The chance that a fresh key which picked this block is accepted: the product of the fills of its lanes. */
static double block_rate(const uint64_t *block, unsigned k)
{
    double rate = 1;
    for (unsigned j = 0; j < BLOCK_WORDS; j++) {
        if (k == 8)
            rate *= __builtin_popcountll(block[j]) / 64.0;
        else
            rate *=
                __builtin_popcount((uint32_t)block[j]) / 32.0 * __builtin_popcount((uint32_t)(block[j] >> 32)) / 32.0;
    }
    return rate;
}

static void blocked_capacity(const struct uf_filter *filter, struct planned *out)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    *out = (struct planned){blocked->n, blocked->k, rate_blocked(blocked->n, blocked->blocks, blocked->k)};
}

/* A given bit stays zero with chance (1 - 1/cells)^n, cells = blocks * lane bits: the mean fill gives n. */
static double blocked_keys_by_fill(const struct uf_filter *filter)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    double bits = (double)blocked->blocks * BLOCK_BITS, ones = (double)bits_count(filter->words, filter->word_count);
    return log1p(-ones / bits) / log1p(-(double)blocked->k / bits);
}

static void blocked_info(const struct uf_filter *filter, uf_info *out)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    double blocks = (double)blocked->blocks, rates = 0;
    for (size_t i = 0; i < filter->word_count; i += BLOCK_WORDS)
        rates += block_rate(filter->words + i, blocked->k);
    out->capacity = blocked->n;
    out->bits = blocked->blocks * BLOCK_BITS;
    out->fpr_now = rates / blocks;
    out->fill = (double)bits_count(filter->words, filter->word_count) / (double)out->bits;
    out->count_estimate = blocked_keys_by_fill(filter);
}

static void blocked_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    out->fpr = rate_blocked(blocked->n, blocked->blocks, blocked->k);
    out->proof = "docs/kinds.md#blocked";
}

static const char *const names[] = {"n", "fpr", "bits", "bits_per_key", "k", NULL};

const struct filter_ops kind_blocked = {
    .name = "blocked",
    .about = "one cache line per key: the fastest, grows, merges",
    .names = names,
    .id = 2,
    .hash = HASH_XXH3,
    .child_factor = 1.56, /* blocks that fill unevenly */
    .plan = blocked_plan,
    .shape = blocked_shape,
    .bind = blocked_bind,
    .add_shared = blocked_add_shared,
    .places = blocked_places,
    .scatter = blocked_scatter,
    .capacity = blocked_capacity,
    .keys_by_fill = blocked_keys_by_fill,
    .merge = blocked_merge,
    .encode = blocked_encode,
    .decode = blocked_decode,
    .describe = blocked_describe,
    .info = blocked_info,
    .claim = blocked_claim,
};
