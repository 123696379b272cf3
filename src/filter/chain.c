/* SPDX-License-Identifier: MIT */
#include "chain.h"

#include <math.h>
#include <string.h>

#include "capacity.h"
#include "filter.h"
#include "series.h"
#include "status.h"

/* The first level has half of the rate. */
enum { SHARES = 2 };

enum { FEW_LEVELS = 32 };

/* ---- planning ---- */

int chain_first(const struct filter_ops *ops, struct spec *plan, uf_error *why)
{
    uint64_t n = 0;
    int has_n = spec_get_count(plan, "n", &n, why);
    if (has_n < 0)
        return UF_EINVAL;
    if (has_n && n < CHAIN_LEAST_KEYS)
        spec_set_number(plan, "n", CHAIN_LEAST_KEYS);
    return series_plan_part(ops, plan, SHARES, why);
}

int chain_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    int status = chain_first(ops, spec, why);
    if (status == UF_OK)
        series_set_rate(spec, SHARES);
    return status;
}

/* ---- growing ---- */

int chain_wrap(uf_filter *level, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    uf_filter *chain = NULL;
    int status = series_new(&kind_chain, level, ctx, &chain, why);
    if (status == UF_OK)
        status = filter_add_child(chain, level, why);
    if (status != UF_OK) {
        uf_free(chain);
        return status;
    }
    capacity_open(chain, FULL_SCALE, 0);
    *out = chain;
    return UF_OK;
}

static int new_level(const uf_filter *chain, const struct spec *plan, uf_filter **out, uf_error *why)
{
    const uf_filter *last = series_last(chain);
    const uf_context ctx = series_context(chain);
    int status = filter_make(last->ops, plan, &last->hasher, &ctx, out, why);
    if (status == UF_OK)
        (*out)->early_exit = last->early_exit;
    return status;
}

static int plan_level(const uf_filter *chain, unsigned level, struct spec *plan, uf_error *why)
{
    const uf_filter *first = chain->child[0];
    *plan = (struct spec){.count = 0};
    strcpy(plan->kind, first->ops->name);
    spec_set_number(plan, "n", ldexp((double)series_part_capacity(first), (int)level));
    spec_set_number(plan, "fpr", ldexp(series_part_rate(first), -(int)level));
    return first->ops->plan(first->ops, plan, why);
}

static int chain_grow(uf_filter *chain, uf_error *why)
{
    struct spec plan;
    uf_filter *level = NULL;
    int status = plan_level(chain, chain->children, &plan, why);
    if (status == UF_OK)
        status = new_level(chain, &plan, &level, why);
    if (status == UF_OK)
        status = filter_add_child(chain, level, why);
    if (status != UF_OK) {
        uf_free(level);
        return status;
    }
    capacity_open(chain, FULL_SCALE, 0);
    capacity_empty(chain);
    return UF_OK;
}

/* ---- inserts: what no other level answers to goes into the last one, as far as that takes it (capacity.c) ---- */

static int chain_add_one_within(struct uf_filter *chain, struct hash128 hash, struct spare *spare)
{
    uf_filter *last = series_last(chain);
    for (unsigned i = 0; i + 1 < chain->children; i++)
        if (chain->child[i]->calls.query(chain->child[i], hash))
            return 0;
    return last->calls.add_one_within(last, hash, spare);
}

static void add_slice(struct uf_filter *chain, struct hash128 *hash, size_t count, int8_t *verdict, struct spare *spare)
{
    uf_filter *last = series_last(chain);
    uint8_t known[SERIES_SLICE];
    int8_t found[SERIES_SLICE];
    size_t kept = 0;
    series_ask(chain, chain->children - 1, hash, count, known);
    for (size_t i = 0; i < count; i++)
        if (!known[i])
            hash[kept++] = hash[i];
    struct hash_source rest = source_of_hashes(hash);
    last->calls.add_within(last, &rest, kept, found, spare);
    kept = 0;
    for (size_t i = 0; i < count; i++)
        verdict[i] = known[i] ? 0 : found[kept++];
}

static void chain_add_within(struct uf_filter *chain, struct hash_source *source, size_t count, int8_t *verdict,
                             struct spare *spare)
{
    series_by_slice(chain, source, count, verdict, spare, add_slice);
}

/* ---- files and figures ---- */

/* The levels are those that growing makes, so that what is claimed of them holds. */
static int chain_adopt(const struct uf_filter *chain, uf_error *why)
{
    int status = series_adopt(chain, why);
    for (unsigned i = 0; status == UF_OK && i < chain->children; i++) {
        const uf_filter *level = chain->child[i], *first = chain->child[0];
        if ((double)series_part_capacity(level) != ldexp((double)series_part_capacity(first), (int)i) ||
            !(series_part_rate(level) <= ldexp(series_part_rate(first), -(int)i) * (1 + 1e-9)))
            status = fail(why, UF_EFORMAT, "is damaged: level %u does not belong to the others", i);
    }
    return status;
}

static void chain_describe(const struct uf_filter *chain, struct spec *plan)
{
    series_describe_part(chain, SHARES, plan);
}

/* That of a level that is there, or of one that would be made; 0 when none can be. */
static double level_most_rate(const struct uf_filter *chain, unsigned level)
{
    const struct filter_ops *ops = chain->child[0]->ops;
    struct uf_filter later = {.ops = ops};
    struct spec plan;
    if (level < chain->children)
        return ops->most_rate(chain->child[level]);
    if (plan_level(chain, level, &plan, NULL) != UF_OK || ops->shape(&later, &plan, NULL) != UF_OK)
        return 0;
    return ops->most_rate(&later);
}

/* Every level is planned for half the rate of the one before it, but the limit of one with few keys may be more than
 * half of the one before: so limits are added up. The last of them are halved each time. */
static double chain_most_rate(const struct uf_filter *chain)
{
    unsigned levels = chain->children > FEW_LEVELS ? chain->children : FEW_LEVELS;
    double sum = 0, last = 0;
    for (unsigned i = 0; i < levels; i++) {
        last = level_most_rate(chain, i);
        sum += last;
    }
    return fmin(sum + last, 1);
}

static void chain_claim(const struct uf_filter *chain, uf_claim *out)
{
    const uf_filter *first = chain->child[0];
    first->ops->claim(first, out);
    out->fpr = fmin(SHARES * out->fpr, 1);
    out->proof = "docs/kinds.md#full-filters";
}

/* Not in the table of kinds: specs say full=scale instead, so there is nothing to plan. */
const struct filter_ops kind_chain = {
    .name = "chain",
    .about = "a filter that grows",
    .names = series_names,
    .id = 32,
    .hash = HASH_XXH3,
    .series = 1,
    .calls = {.query = series_query,
              .query_many = series_query_many,
              .add_within = chain_add_within,
              .add_one_within = chain_add_one_within},
    .encode = series_encode,
    .decode = series_decode,
    .capacity = series_capacity,
    .survey = series_survey,
    .limit = series_limit,
    .most_rate = chain_most_rate,
    .grow = chain_grow,
    .adopt = chain_adopt,
    .describe = chain_describe,
    .info = series_info,
    .claim = chain_claim,
};
