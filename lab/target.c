/* SPDX-License-Identifier: MIT */
#include "target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keyring.h"
#include "refuse.h"

enum { BATCH = 1024 };

static const char *const names[TARGETS] = {"unkeyed", "redis", "keyed"};

const char *target_name(enum target_id id)
{
    return names[id];
}

/* ---- redis ---- */

/* RedisBloom's sizes: bits per item -ln p / (ln 2)^2, k = ceil(ln 2 bits per item), m a multiple of 64. */
static int redis_new(struct target *out, uf_error *why)
{
    const struct target_plan *plan = &out->plan;
    double per_item = -log(plan->fpr) / (M_LN2 * M_LN2), bits = per_item * (double)plan->n;
    out->k = (unsigned)ceil(M_LN2 * per_item);
    if (!(bits >= 1 && bits < 0x1p40) || out->k > VIEW_MOST_K)
        return refuse(why, UF_EINVAL, "there is no filter of RedisBloom's with these numbers");
    out->m = ((uint64_t)bits + 63) / 64 * 64;
    out->words = calloc((size_t)(out->m / 64), sizeof *out->words);
    if (!out->words)
        return refuse(why, UF_ENOMEM, "no memory for a target");
    out->design = pow(-expm1(-(double)out->k * (double)plan->n / (double)out->m), out->k);
    return UF_OK;
}

static struct view redis_look(const struct target *target)
{
    return (struct view){.scheme = VIEW_REDIS,
                         .units = target->m,
                         .cell = 1,
                         .k = target->k,
                         .bits = target->m,
                         .words = target->words,
                         .word_count = (size_t)(target->m / 64)};
}

/* ---- ours ---- */

/* An empty filter of the target's spec. A keyed one that has no key yet gets one of its own. */
static int ours_build(struct target *target, const uf_context *ctx, uf_error *why)
{
    uf_context own = *ctx;
    uf_claim claim;
    int status = UF_OK;
    if (target->id == TARGET_KEYED && !target->key) {
        status = keyring_draw(ctx, &target->own, why);
        target->key = target->own;
    }
    own.secret = target->key;
    if (status == UF_OK)
        status = uf_build(&target->spec, NULL, 0, &own, &target->filter, why);
    if (status != UF_OK)
        return status;
    uf_get_claim(target->filter, &claim, sizeof claim);
    target->design = claim.fpr;
    return UF_OK;
}

static int ours_new(struct target *target, const uf_context *ctx, uf_error *why)
{
    int keyed = target->id == TARGET_KEYED;
    const char *full = target->plan.full;
    char text[160];
    (void)snprintf(text, sizeof text, "%s%.40s:n=%llu,fpr=%.15g%s%.10s%s", keyed ? "keyed(" : "", target->plan.kind,
                   (unsigned long long)target->plan.n, target->plan.fpr, full ? ",full=" : "", full ? full : "",
                   keyed ? ")" : "");
    int status = uf_spec_parse(text, &target->spec, why);
    return status == UF_OK ? ours_build(target, ctx, why) : status;
}

/* ---- both ---- */

static int keep_or_free(int status, struct target *target, struct target *out)
{
    if (status == UF_OK)
        *out = *target;
    else
        target_free(target);
    return status;
}

int target_new(enum target_id id, const struct target_plan *plan, const uf_context *ctx, struct target *out,
               uf_error *why)
{
    struct target target = {.id = id, .name = names[id], .plan = *plan};
    int status = id == TARGET_REDIS ? redis_new(&target, why) : ours_new(&target, ctx, why);
    return keep_or_free(status, &target, out);
}

int target_copy(const struct target *target, enum target_knowledge knows, const uf_context *ctx, struct target *out,
                uf_error *why)
{
    struct target copy = {.id = target->id, .name = target->name, .plan = target->plan};
    if (target->id == TARGET_REDIS || knows == KNOWS_PLAN)
        return target_new(target->id, &target->plan, ctx, out, why);
    uf_get_plan(target->filter, &copy.spec);
    if (knows == KNOWS_KEY)
        copy.key = target->key;
    return keep_or_free(ours_build(&copy, ctx, why), &copy, out);
}

void target_free(struct target *target)
{
    uf_free(target->filter);
    uf_secret_free(target->own);
    free(target->words);
    *target = (struct target){.id = target->id};
}

int target_insert(struct target *target, const struct item *items, size_t count)
{
    if (target->filter)
        return uf_insert_fixed(target->filter, items, ITEM_BYTES, count, NULL);
    struct view view = redis_look(target);
    for (size_t i = 0; i < count; i++)
        view_set(&view, &items[i]);
    return UF_OK;
}

void target_query(const struct target *target, const struct item *items, size_t count, uint8_t *answers)
{
    if (target->filter) {
        uf_query_fixed(target->filter, items, ITEM_BYTES, count, answers);
        return;
    }
    struct view view = redis_look(target);
    for (size_t i = 0; i < count; i++)
        answers[i] = (uint8_t)view_has(&view, &items[i]);
}

uint64_t target_hits(const struct target *target, const struct item *items, size_t count)
{
    uint8_t answers[BATCH];
    uint64_t hits = 0;
    while (count) {
        size_t step = count < BATCH ? count : BATCH;
        target_query(target, items, step, answers);
        for (size_t i = 0; i < step; i++)
            hits += answers[i];
        items += step;
        count -= step;
    }
    return hits;
}

uint64_t target_hits_random(const struct target *target, struct stream *stream, uint64_t count)
{
    struct item items[BATCH];
    uint64_t hits = 0;
    while (count) {
        size_t step = count < BATCH ? (size_t)count : BATCH;
        items_draw(stream, items, step);
        hits += target_hits(target, items, step);
        count -= step;
    }
    return hits;
}

int target_fill(struct target *target, struct stream *stream, uint64_t count)
{
    struct item items[BATCH];
    int status = UF_OK;
    while (status == UF_OK && count) {
        size_t step = count < BATCH ? (size_t)count : BATCH;
        items_draw(stream, items, step);
        status = target_insert(target, items, step);
        count -= step;
    }
    return status;
}

double target_fill_now(const struct target *target)
{
    struct view view = redis_look(target);
    uf_info info;
    if (!target->filter)
        return (double)view_ones(&view) / (double)view.bits;
    uf_get_info(target->filter, &info, sizeof info);
    return info.fill;
}

double target_rate_now(const struct target *target)
{
    uf_info info;
    if (!target->filter)
        return pow(target_fill_now(target), target->k);
    uf_get_info(target->filter, &info, sizeof info);
    return info.fpr_now;
}

int target_view(const struct target *target, uint64_t made_up, struct view *out, uf_error *why)
{
    if (target->filter)
        return view_of_filter(target->filter, made_up, out, why);
    return view_of_redis(target->m, target->k, target->words, out, why);
}
