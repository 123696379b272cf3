/* SPDX-License-Identifier: MIT */
#include "uf.h"

#include <math.h>
#include <string.h>

#include "create.h"
#include "jobs.h"
#include "open.h"
#include "query.h"
#include "reply.h"
#include "reserve.h"

/* ---- UF.RESERVE key spec ---- */

int command_uf_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    uint64_t figures[FIGURES] = {FAMILY_UF};
    uf_error why = {0, 0, ""};
    char text[sizeof(uf_spec)];
    uf_spec spec;
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    int status = argument_text(argv[2], text, sizeof text, "the spec", &why);
    if (status == UF_OK)
        status = uf_spec_parse(text, &spec, &why);
    if (status != UF_OK)
        return reply_why(ctx, &why);
    figures[FIGURE_FAMILY] = value_family(&spec);
    return reserve(ctx, argv[1], &spec, figures, "uf.reserve");
}

/* ---- UF.ADD key item, UF.MADD key item ..., UF.REMOVE key item ... ---- */

static void add_one(const struct change *change, RedisModuleString *item)
{
    uf_error why = {0, 0, ""};
    int8_t verdict;
    if (items_add(change, &item, 1, &verdict, &why) != UF_OK)
        (void)reply_why(change->ctx, &why);
    else
        (void)RedisModule_ReplyWithBool(change->ctx, verdict);
}

/* 1 new, 0 known, -1 refused. What stops all of them is one error. */
static void add_many(const struct change *change, RedisModuleString **items, size_t count)
{
    int8_t verdict[ITEMS_SLICE];
    uf_error why = {0, 0, ""};
    size_t replied = 0;
    for (size_t done = 0, step; done < count; done += step) {
        step = count - done < ITEMS_SLICE ? count - done : ITEMS_SLICE;
        if (!items_per_item(items_add(change, items + done, step, verdict, &why))) {
            (void)reply_why(change->ctx, &why);
            return;
        }
        if (!done)
            (void)RedisModule_ReplyWithArray(change->ctx, REDISMODULE_POSTPONED_LEN);
        for (size_t i = 0; i < step; i++, replied++)
            (void)RedisModule_ReplyWithLongLong(change->ctx, verdict[i] < 0 ? -1 : verdict[i]);
    }
    RedisModule_ReplySetArrayLength(change->ctx, (long)replied);
}

/* 1 removed, 0 not: it is not in, or cannot be taken out any more. */
static void remove_many(const struct change *change, RedisModuleString **items, size_t count)
{
    uint8_t removed[ITEMS_SLICE];
    uf_error why = {0, 0, ""};
    for (size_t done = 0, step; done < count; done += step) {
        step = count - done < ITEMS_SLICE ? count - done : ITEMS_SLICE;
        int status = items_remove(change, items + done, step, removed, &why);
        if (status != UF_OK && !done) {
            (void)reply_why(change->ctx, &why);
            return;
        }
        if (!done)
            (void)RedisModule_ReplyWithArray(change->ctx, (long)count);
        for (size_t i = 0; i < step; i++)
            (void)RedisModule_ReplyWithLongLong(change->ctx, removed[i]);
    }
}

static int change_items(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                        void (*many)(const struct change *, RedisModuleString **, size_t), const char *event)
{
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], WRITING);
    const struct change change = {ctx, argv[1], open_to_change(ctx, argv[1], key, FAMILY_UF, NULL)};
    if (change.value && many)
        many(&change, argv + 2, (size_t)argc - 2);
    else if (change.value)
        add_one(&change, argv[2]);
    if (change.value)
        (void)RedisModule_NotifyKeyspaceEvent(ctx, REDISMODULE_NOTIFY_MODULE, event, argv[1]);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

int command_uf_add(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return argc == 3 ? change_items(ctx, argv, argc, NULL, "uf.add") : RedisModule_WrongArity(ctx);
}

int command_uf_madd(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return argc >= 3 ? change_items(ctx, argv, argc, add_many, "uf.add") : RedisModule_WrongArity(ctx);
}

int command_uf_remove(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return argc >= 3 ? change_items(ctx, argv, argc, remove_many, "uf.remove") : RedisModule_WrongArity(ctx);
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

static void run_claim(struct job *job)
{
    struct claim_job *claim = (struct claim_job *)job;
    job->status = uf_get_claim(claim->value->filter[0], &claim->claim, sizeof claim->claim);
    job->why.status = job->status;
}

static int done_claim(RedisModuleCtx *ctx, struct job *job)
{
    const uf_claim *claim = &((struct claim_job *)job)->claim;
    if (job->status != UF_OK)
        return reply_why(ctx, &job->why);
    (void)RedisModule_ReplyWithMap(ctx, 9);
    reply_rate(ctx, "epsilon", claim->epsilon);
    reply_rate(ctx, "delta", claim->delta);
    reply_rate(ctx, "fpr", claim->fpr);
    reply_rate(ctx, "adversarial_fpr", claim->adversarial_fpr);
    reply_rate(ctx, "fnr", claim->fnr);
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
    (void)job_start(ctx, &claim->job, value_memory(value) <= QUICK_BYTES);
}

int command_uf_claim(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return argc == 2 ? look(ctx, argv[1], start_claim) : RedisModule_WrongArity(ctx);
}
