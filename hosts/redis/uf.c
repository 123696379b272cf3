/* SPDX-License-Identifier: MIT */
#include "uf.h"

#include <math.h>
#include <string.h>

#include "create.h"
#include "jobs.h"
#include "many.h"
#include "open.h"
#include "query.h"
#include "reply.h"

/* ---- UF.RESERVE key spec ---- */

int command_uf_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct reservation want = {.event = "uf.reserve"};
    uf_error why = {0, 0, ""};
    char text[sizeof(uf_spec)];
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    int status = argument_text(argv[2], text, sizeof text, "the spec", &why);
    if (status == UF_OK)
        status = uf_spec_parse(text, &want.spec, &why);
    if (status != UF_OK)
        return reply_why(ctx, &why);
    want.figures[FIGURE_FAMILY] = value_family(&want.spec);
    return reserve(ctx, argv, argc, &want);
}

/* ---- UF.ADD key item, UF.MADD key item ..., UF.REMOVE key item ... ---- */

static void reply_number_of(const struct many *many, int verdict)
{
    (void)RedisModule_ReplyWithLongLong(many->ctx, verdict < 0 ? -1 : verdict);
}

/* 1 new, 0 known, -1 refused. What stops all of them is one error. */
static size_t add_slice(struct many *many, struct change *change, RedisModuleString **items, size_t count,
                        int8_t *verdict)
{
    return items_per_item(items_add(change, items, count, verdict, &many->why)) ? count : 0;
}

/* 1 removed, 0 not: it is not in, or cannot be taken out any more. */
static size_t remove_slice(struct many *many, struct change *change, RedisModuleString **items, size_t count,
                           int8_t *verdict)
{
    return items_remove(change, items, count, (uint8_t *)verdict, &many->why) == UF_OK ? count : 0;
}

static int change_items(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, const struct many_work *work)
{
    if (argc < 3)
        return RedisModule_WrongArity(ctx);
    const struct asking asking = {.ctx = ctx, .argv = argv, .argc = argc, .family = FAMILY_UF};
    struct many many = {.work = work, .ctx = ctx, .name = argv[1], .items = argv + 2, .count = (size_t)argc - 2};
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], WRITING);
    many.value = open_to_change(&asking, key);
    if (many.value)
        many_run(&many);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

int command_uf_madd(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    static const struct many_work work = {1, "uf.add", add_slice, reply_number_of};
    return change_items(ctx, argv, argc, &work);
}

int command_uf_remove(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    static const struct many_work work = {1, "uf.remove", remove_slice, reply_number_of};
    return change_items(ctx, argv, argc, &work);
}

static void add_one(struct change *change, RedisModuleString *item)
{
    uf_error why;
    int8_t verdict;
    if (items_add(change, &item, 1, &verdict, &why) != UF_OK)
        (void)reply_why(change->ctx, &why);
    else
        (void)RedisModule_ReplyWithBool(change->ctx, verdict);
}

int command_uf_add(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    const struct asking asking = {.ctx = ctx, .argv = argv, .argc = argc, .family = FAMILY_UF};
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], WRITING);
    struct change change = {ctx, argv[1], open_to_change(&asking, key), 0};
    if (change.value) {
        add_one(&change, argv[2]);
        items_tell(&change, "uf.add");
    }
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

int command_uf_exists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return query_one(ctx, argv, argc, FAMILY_UF);
}

int command_uf_mexists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return query_many(ctx, argv, argc, FAMILY_UF);
}

/* ---- UF.INFO key: what costs nothing to know ---- */

static void reply_text(RedisModuleCtx *ctx, const char *name, const char *text)
{
    (void)RedisModule_ReplyWithCString(ctx, name);
    (void)RedisModule_ReplyWithCString(ctx, text);
}

static void reply_number(RedisModuleCtx *ctx, const char *name, uint64_t number)
{
    (void)RedisModule_ReplyWithCString(ctx, name);
    (void)RedisModule_ReplyWithLongLong(ctx, (long long)number);
}

static void reply_info(RedisModuleCtx *ctx, struct value *value)
{
    uf_spec plan;
    uf_sizes sizes = {.file_bytes = 0};
    char id[UF_KEY_ID_SIZE];
    int locked = value_is_locked(value);
    uf_get_plan(value->filter[0], &plan);
    uf_get_key_id(value->filter[0], id);
    (void)uf_get_sizes(value->filter[0], &sizes, sizeof sizes);
    const char *kind = uf_spec_kind(&plan);
    (void)RedisModule_ReplyWithMap(ctx, 9);
    reply_text(ctx, "kind", kind ? kind : "");
    reply_text(ctx, "spec", plan.text);
    reply_text(ctx, "key_id", id);
    reply_number(ctx, "locked", (uint64_t)locked);
    reply_number(ctx, "capacity", value_capacity(value));
    reply_number(ctx, "filters", value_filters(value));
    reply_number(ctx, "items", value->figures[FIGURE_ITEMS]);
    reply_number(ctx, "memory", value_memory(value));
    reply_number(ctx, "file_bytes", sizes.file_bytes);
}

/* Opens, replies, closes. */
static int look(RedisModuleCtx *ctx, RedisModuleString *name, void (*reply)(RedisModuleCtx *, struct value *))
{
    struct value *value = NULL;
    RedisModuleKey *key = RedisModule_OpenKey(ctx, name, REDISMODULE_READ);
    enum found found = open_value(key, FAMILY_UF, &value);
    if (found == FOUND)
        reply(ctx, value);
    else
        (void)open_refuse(ctx, found);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

int command_uf_info(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return argc == 2 ? look(ctx, argv[1], reply_info) : RedisModule_WrongArity(ctx);
}

/* ---- UF.CLAIM key: what the filter promises ---- */

static void reply_rate(RedisModuleCtx *ctx, const char *name, double rate)
{
    (void)RedisModule_ReplyWithCString(ctx, name);
    if (isnan(rate))
        (void)RedisModule_ReplyWithNull(ctx);
    else
        (void)RedisModule_ReplyWithDouble(ctx, rate);
}

struct claim_job {
    struct job job;
    struct value *value; /* lent */
    uf_claim claim;
};

/* A key is asked for in every level: errors add up, and what one does not hold against none does. */
static void add_level(uf_claim *level, const uf_claim *others)
{
    level->fpr += others->fpr;
    level->adversarial_fpr += others->adversarial_fpr;
    level->removed_fpr += others->removed_fpr;
    level->adversarial_fnr += others->adversarial_fnr; /* NaN stays NaN: nothing is promised */
    level->fnr = level->fnr > others->fnr ? level->fnr : others->fnr;
    level->fpr_against &= others->fpr_against;
    level->fnr_against &= others->fnr_against;
}

static void run_claim(struct job *job)
{
    struct claim_job *claim = (struct claim_job *)job;
    uf_claim all = {0}, level;
    for (unsigned i = 0; i < claim->value->levels && job->status == UF_OK; i++) {
        job->status = uf_get_claim(claim->value->filter[i], &level, sizeof level);
        if (i)
            add_level(&level, &all);
        all = level;
    }
    claim->claim = all;
    job->why.status = job->status;
}

static int done_claim(RedisModuleCtx *ctx, struct job *job)
{
    const uf_claim *claim = &((struct claim_job *)job)->claim;
    if (job->status != UF_OK)
        return reply_why(ctx, &job->why);
    (void)RedisModule_ReplyWithMap(ctx, 13);
    reply_rate(ctx, "epsilon", claim->epsilon);
    reply_rate(ctx, "delta", claim->delta);
    reply_rate(ctx, "fpr", claim->fpr);
    reply_rate(ctx, "adversarial_fpr", claim->adversarial_fpr);
    reply_rate(ctx, "fnr", claim->fnr);
    reply_rate(ctx, "adversarial_fnr", claim->adversarial_fnr);
    reply_rate(ctx, "removed_fpr", claim->removed_fpr);
    reply_rate(ctx, "fpr_against", claim->fpr_against); /* enum uf_against, or-ed */
    reply_rate(ctx, "fnr_against", claim->fnr_against);
    reply_text(ctx, "unit", claim->unit);
    reply_text(ctx, "adversary", claim->adversary);
    reply_text(ctx, "not_protected", claim->not_protected);
    reply_text(ctx, "proof", claim->proof);
    return REDISMODULE_OK;
}

static void free_claim(struct job *job)
{
    value_give_back(((struct claim_job *)job)->value);
    RedisModule_Free(job);
}

/* It counts the fill of the filter. */
static void start_claim(RedisModuleCtx *ctx, struct value *value)
{
    struct claim_job *claim = RedisModule_Calloc(1, sizeof *claim);
    claim->job = (struct job){.run = run_claim, .done = done_claim, .free = free_claim};
    claim->value = value;
    value_lend(value);
    (void)job_start(ctx, &claim->job, NULL, 0, value_memory(value) <= QUICK_BYTES);
}

int command_uf_claim(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return argc == 2 ? look(ctx, argv[1], start_claim) : RedisModule_WrongArity(ctx);
}
