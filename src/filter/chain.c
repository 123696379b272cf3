/* SPDX-License-Identifier: MIT */
#include "chain.h"

#include <math.h>
#include <string.h>

#include "capacity.h"
#include "filter.h"
#include "keying.h"
#include "plan.h"
#include "status.h"

enum { SLICE = 256, FEW_LEVELS = 32 };

/* What its levels are. */
static const char *chain_kind(const uf_filter *chain)
{
    return chain->child[0]->ops->name;
}

static uf_filter *chain_last(const uf_filter *chain)
{
    return chain->child[chain->children - 1];
}

/* ---- planning ---- */

int chain_first(const struct filter_ops *ops, struct spec *plan, uf_error *why)
{
    double fpr = PLAN_DEFAULT_FPR;
    uint64_t n = 0;
    int has_n = spec_get_count(plan, "n", &n, why), has_fpr = spec_get_number(plan, "fpr", &fpr, why);
    if (has_n < 0 || has_fpr < 0)
        return UF_EINVAL;
    if (has_n && n < CHAIN_LEAST_KEYS)
        spec_set_number(plan, "n", CHAIN_LEAST_KEYS);
    if (has_fpr || (!spec_text(plan, "bits") && !spec_text(plan, "bits_per_key")))
        spec_set_number(plan, "fpr", fpr / 2);
    return ops->plan(ops, plan, why);
}

/* Twice that of the first level, as its plan has it: so a plan of a filter is a plan of itself. */
static void set_rate_of_whole(struct spec *plan)
{
    double fpr;
    if (spec_get_number(plan, "fpr", &fpr, NULL) == 1)
        plan_set_fpr(plan, 2 * fpr);
}

int chain_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    int status = chain_first(ops, spec, why);
    if (status == UF_OK)
        set_rate_of_whole(spec);
    return status;
}

static double level_rate(const uf_filter *level)
{
    uf_claim claim = {.fpr = 0};
    level->ops->claim(level, &claim);
    return claim.fpr;
}

static uint64_t level_capacity(const uf_filter *level)
{
    struct planned planned;
    level->ops->capacity(level, &planned);
    return planned.n;
}

/* ---- growing ---- */

int chain_wrap(uf_filter *level, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    uf_filter *chain = NULL;
    int status = filter_new(&kind_chain, ctx, &chain, why);
    if (status == UF_OK)
        status = filter_add_child(chain, level, why);
    if (status != UF_OK) {
        uf_free(chain);
        return status;
    }
    chain->hasher = level->hasher;
    capacity_open(chain, FULL_SCALE, 0);
    *out = chain;
    return UF_OK;
}

static int new_level(const uf_filter *chain, const struct spec *plan, uf_filter **out, uf_error *why)
{
    const uf_filter *last = chain_last(chain);
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.allocator = chain->mem.hook;
    ctx.cpu = chain->cpu;
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
    spec_set_number(plan, "n", ldexp((double)level_capacity(first), (int)level));
    spec_set_number(plan, "fpr", ldexp(level_rate(first), -(int)level));
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
    return UF_OK;
}

/* ---- queries ---- */

static int chain_query(const struct uf_filter *chain, struct hash128 hash)
{
    int any = 0;
    for (unsigned i = 0; i < chain->children && !(any && chain->early_exit); i++)
        any |= chain->child[i]->calls.query(chain->child[i], hash);
    return any;
}

/* known[i]: one of the first levels answers to key i. At most SLICE keys. */
static void ask_levels(const struct uf_filter *chain, unsigned levels, const struct hash128 *hash, size_t count,
                       uint8_t *known)
{
    uint8_t more[SLICE];
    memset(known, 0, count);
    for (unsigned i = 0; i < levels; i++) {
        struct hash_source ready = source_of_hashes(hash);
        chain->child[i]->calls.query_many(chain->child[i], &ready, count, more);
        for (size_t j = 0; j < count; j++)
            known[j] |= more[j];
    }
}

static void chain_query_many(const struct uf_filter *chain, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct hash128 hash[SLICE];
    for (size_t done = 0; done < count;) {
        size_t step = count - done < SLICE ? count - done : SLICE;
        source->fill(source, hash, step);
        ask_levels(chain, chain->children, hash, step, answers + done);
        done += step;
    }
}

/* ---- inserts: what no other level answers to goes into the last one, as far as that takes it (capacity.c) ---- */

static int chain_add_one_within(struct uf_filter *chain, struct hash128 hash, struct spare *spare)
{
    uf_filter *last = chain_last(chain);
    for (unsigned i = 0; i + 1 < chain->children; i++)
        if (chain->child[i]->calls.query(chain->child[i], hash))
            return 0;
    return last->calls.add_one_within(last, hash, spare);
}

static void add_slice(struct uf_filter *chain, struct hash128 *hash, size_t count, int8_t *verdict, struct spare *spare)
{
    uf_filter *last = chain_last(chain);
    uint8_t known[SLICE];
    int8_t found[SLICE];
    size_t kept = 0;
    ask_levels(chain, chain->children - 1, hash, count, known);
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
    struct hash128 hash[SLICE];
    for (size_t done = 0; done < count;) {
        size_t step = count - done < SLICE ? count - done : SLICE;
        source->fill(source, hash, step);
        add_slice(chain, hash, step, verdict + done, spare);
        done += step;
    }
}

/* ---- bytes ---- */

static void chain_encode(const struct uf_filter *chain, struct writer *writer)
{
    (void)chain, (void)writer;
}

static int chain_decode(struct uf_filter *chain, struct reader *reader, uf_error *why)
{
    (void)chain, (void)reader, (void)why;
    return UF_OK;
}

static int same_hash(const struct hasher *a, const struct hasher *b)
{
    return a->kind == b->kind && a->seed == b->seed && keying_same(&a->stamp, &b->stamp);
}

/* The levels are those that growing makes, so that what is claimed of them holds. */
static int chain_adopt(const struct uf_filter *chain, uf_error *why)
{
    const uf_filter *first = chain->children ? chain->child[0] : NULL;
    if (!first || !capacity_applies(first->ops) || first->ops->remove_many || first->children)
        return fail(why, UF_EFORMAT, "is damaged: the levels are no filters that grow");
    for (unsigned i = 0; i < chain->children; i++) {
        const uf_filter *level = chain->child[i];
        if (level->ops != first->ops || !same_hash(&level->hasher, &chain->hasher) || is_released(level) ||
            level->capacity.policy != FULL_WARN ||
            (double)level_capacity(level) != ldexp((double)level_capacity(first), (int)i) ||
            !(level_rate(level) <= ldexp(level_rate(first), -(int)i) * (1 + 1e-9)))
            return fail(why, UF_EFORMAT, "is damaged: level %u does not belong to the others", i);
    }
    return UF_OK;
}

/* ---- figures ---- */

static void chain_describe(const struct uf_filter *chain, struct spec *plan)
{
    const uf_filter *first = chain->child[0];
    strcpy(plan->kind, chain_kind(chain));
    first->ops->describe(first, plan);
    set_rate_of_whole(plan);
}

static void chain_info(const struct uf_filter *chain, uf_info *out)
{
    double ones = 0, spared = 1;
    out->kind = chain_kind(chain);
    out->count_estimate = 0;
    for (unsigned i = 0; i < chain->children; i++) {
        uf_info level = {.bits = 0};
        chain->child[i]->ops->info(chain->child[i], &level);
        out->bits += level.bits;
        out->capacity += level.capacity;
        out->count_estimate += level.count_estimate;
        ones += level.fill * (double)level.bits;
        spared *= 1 - level.fpr_now;
    }
    out->fill = ones / (double)out->bits;
    out->fpr_now = 1 - spared;
}

/* All of these of the level that takes keys. */
static void chain_capacity(const struct uf_filter *chain, struct planned *out)
{
    chain_last(chain)->ops->capacity(chain_last(chain), out);
}

static void chain_survey(const struct uf_filter *chain, struct survey *out)
{
    chain_last(chain)->ops->survey(chain_last(chain), out);
}

static uint64_t chain_limit(struct uf_filter *chain)
{
    return chain_last(chain)->ops->limit(chain_last(chain));
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
    out->fpr = fmin(2 * out->fpr, 1);
    out->proof = "docs/kinds.md#full-filters";
}

static const char *const no_names[] = {NULL};

/* Not in the table of kinds: specs say full=scale instead, so there is nothing to plan. */
const struct filter_ops kind_chain = {
    .name = "chain",
    .about = "a filter that grows",
    .names = no_names,
    .id = 32,
    .hash = HASH_XXH3,
    .calls = {.query = chain_query,
              .query_many = chain_query_many,
              .add_within = chain_add_within,
              .add_one_within = chain_add_one_within},
    .encode = chain_encode,
    .decode = chain_decode,
    .capacity = chain_capacity,
    .survey = chain_survey,
    .limit = chain_limit,
    .most_rate = chain_most_rate,
    .grow = chain_grow,
    .adopt = chain_adopt,
    .describe = chain_describe,
    .info = chain_info,
    .claim = chain_claim,
};
