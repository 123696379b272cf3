/* SPDX-License-Identifier: MIT */
#include "query.h"

#include "many.h"
#include "open.h"

/* NULL when the reply was given, or, with *absent, when there is nothing to ask. */
static struct value *open_to_ask(RedisModuleCtx *ctx, RedisModuleKey *key, enum family family, int *absent)
{
    struct value *value = NULL;
    enum found found = open_value(key, family, &value);
    *absent = found != FOUND && family != FAMILY_UF;
    if (found == FOUND)
        return open_is_locked(ctx, value) ? NULL : value;
    if (!*absent)
        (void)open_refuse(ctx, found);
    return NULL;
}

int query_one(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, enum family family)
{
    uint8_t answer = 0;
    int absent;
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ);
    struct value *value = open_to_ask(ctx, key, family, &absent);
    if (value)
        items_query(value, argv + 2, 1, &answer);
    if (value || absent)
        (void)RedisModule_ReplyWithBool(ctx, answer);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

static size_t ask(struct many *many, struct change *change, RedisModuleString **items, size_t count, int8_t *verdict)
{
    (void)many;
    items_query(change->value, items, count, (uint8_t *)verdict);
    return count;
}

static void reply_answer(const struct many *many, int verdict)
{
    (void)RedisModule_ReplyWithBool(many->ctx, verdict);
}

int query_many(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, enum family family)
{
    static const struct many_work work = {.slice = ask, .reply = reply_answer};
    struct many many = {.work = &work, .ctx = ctx, .items = argv + 2};
    int absent;
    if (argc < 3)
        return RedisModule_WrongArity(ctx);
    many.name = argv[1];
    many.count = (size_t)argc - 2;
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ);
    many.value = open_to_ask(ctx, key, family, &absent);
    if (many.value || absent)
        many_run(&many);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}
