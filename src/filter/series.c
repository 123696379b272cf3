/* SPDX-License-Identifier: MIT */
#include "series.h"

#include <math.h>
#include <string.h>

#include "capacity.h"
#include "filter.h"
#include "keying.h"
#include "plan.h"
#include "status.h"

const char *const series_names[] = {NULL};

uf_filter *series_last(const uf_filter *whole)
{
    return whole->child[whole->children - 1];
}

/* ---- planning ---- */

int series_plan_part(const struct filter_ops *ops, struct spec *plan, unsigned shares, uf_error *why)
{
    double fpr = PLAN_DEFAULT_FPR;
    int has_fpr = spec_get_number(plan, "fpr", &fpr, why);
    if (has_fpr < 0)
        return UF_EINVAL;
    if (has_fpr || (!spec_text(plan, "bits") && !spec_text(plan, "bits_per_key")))
        spec_set_number(plan, "fpr", fpr / shares);
    return ops->plan(ops, plan, why);
}

void series_set_rate(struct spec *plan, unsigned shares)
{
    double fpr;
    if (spec_get_number(plan, "fpr", &fpr, NULL) == 1)
        plan_set_fpr(plan, shares * fpr);
}

double series_part_rate(const uf_filter *part)
{
    uf_claim claim = {.fpr = 0};
    part->ops->claim(part, &claim);
    return claim.fpr;
}

uint64_t series_part_capacity(const uf_filter *part)
{
    struct planned planned;
    part->ops->capacity(part, &planned);
    return planned.n;
}

/* ---- making one ---- */

int series_new(const struct filter_ops *ops, const uf_filter *part, const uf_context *ctx, uf_filter **out,
               uf_error *why)
{
    int status = filter_new(ops, ctx, out, why);
    if (status != UF_OK)
        return status;
    (*out)->hasher = part->hasher;
    filter_bind(*out);
    return UF_OK;
}

uf_context series_context(const uf_filter *whole)
{
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.allocator = whole->mem.hook;
    ctx.cpu = whole->cpu;
    return ctx;
}

/* ---- queries and inserts ---- */

int series_query(const struct uf_filter *whole, struct hash128 hash)
{
    int any = 0;
    for (unsigned i = 0; i < whole->children && !(any && whole->early_exit); i++)
        any |= whole->child[i]->calls.query(whole->child[i], hash);
    return any;
}

void series_ask(const uf_filter *whole, unsigned parts, const struct hash128 *hash, size_t count, uint8_t *known)
{
    uint8_t more[SERIES_SLICE];
    memset(known, 0, count);
    for (unsigned i = 0; i < parts; i++) {
        struct hash_source ready = source_of_hashes(hash);
        whole->child[i]->calls.query_many(whole->child[i], &ready, count, more);
        for (size_t j = 0; j < count; j++)
            known[j] |= more[j];
    }
}

void series_query_many(const struct uf_filter *whole, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct hash128 hash[SERIES_SLICE];
    for (size_t done = 0, step; done < count; done += step) {
        step = count - done < SERIES_SLICE ? count - done : SERIES_SLICE;
        source->fill(source, hash, step);
        series_ask(whole, whole->children, hash, step, answers + done);
    }
}

void series_by_slice(uf_filter *whole, struct hash_source *source, size_t count, int8_t *verdict, struct spare *spare,
                     series_add *add)
{
    struct hash128 hash[SERIES_SLICE];
    for (size_t done = 0, step; done < count; done += step) {
        step = count - done < SERIES_SLICE ? count - done : SERIES_SLICE;
        source->fill(source, hash, step);
        add(whole, hash, step, verdict + done, spare);
    }
}

/* ---- bytes ---- */

void series_encode(const struct uf_filter *whole, struct writer *writer)
{
    (void)whole, (void)writer;
}

int series_decode(struct uf_filter *whole, struct reader *reader, uf_error *why)
{
    (void)whole, (void)reader, (void)why;
    return UF_OK;
}

static int same_hash(const struct hasher *a, const struct hasher *b)
{
    return a->kind == b->kind && a->seed == b->seed && keying_same(&a->stamp, &b->stamp);
}

int series_adopt(const uf_filter *whole, uf_error *why)
{
    const uf_filter *first = whole->children ? whole->child[0] : NULL;
    if (!first || !capacity_can_grow(first->ops) || first->ops->own || first->children)
        return fail(why, UF_EFORMAT, "is damaged: the filters in this %s are none that grow", whole->ops->name);
    for (unsigned i = 0; i < whole->children; i++) {
        const uf_filter *part = whole->child[i];
        if (part->ops != first->ops || !same_hash(&part->hasher, &whole->hasher) || is_released(part) ||
            part->capacity.policy != FULL_WARN)
            return fail(why, UF_EFORMAT, "is damaged: filter %u of this %s does not belong to the others", i,
                        whole->ops->name);
    }
    return UF_OK;
}

/* ---- figures ---- */

void series_describe_part(const uf_filter *whole, unsigned shares, struct spec *plan)
{
    const uf_filter *first = whole->child[0];
    strcpy(plan->kind, first->ops->name);
    first->ops->describe(first, plan);
    series_set_rate(plan, shares);
}

void series_info(const struct uf_filter *whole, uf_info *out)
{
    double ones = 0, spared = 1;
    out->kind = whole->child[0]->ops->name;
    out->count_estimate = 0;
    for (unsigned i = 0; i < whole->children; i++) {
        uf_info part = {.bits = 0};
        whole->child[i]->ops->info(whole->child[i], &part);
        out->bits += part.bits;
        out->capacity += part.capacity;
        out->count_estimate += part.count_estimate;
        ones += part.fill * (double)part.bits;
        spared *= 1 - part.fpr_now;
    }
    out->fill = ones / (double)out->bits;
    out->fpr_now = 1 - spared;
}

void series_capacity(const struct uf_filter *whole, struct planned *out)
{
    series_last(whole)->ops->capacity(series_last(whole), out);
}

void series_survey(const struct uf_filter *whole, struct survey *out)
{
    series_last(whole)->ops->survey(series_last(whole), out);
}

uint64_t series_limit(struct uf_filter *whole)
{
    return series_last(whole)->ops->limit(series_last(whole));
}
