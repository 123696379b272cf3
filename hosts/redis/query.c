/* SPDX-License-Identifier: MIT */
#include "query.h"

#include <string.h>

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

int query_many(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, enum family family)
{
    uint8_t answers[ITEMS_SLICE] = {0};
    int absent;
    if (argc < 3)
        return RedisModule_WrongArity(ctx);
    size_t count = (size_t)argc - 2;
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ);
    struct value *value = open_to_ask(ctx, key, family, &absent);
    if (value || absent)
        (void)RedisModule_ReplyWithArray(ctx, (long)count);
    for (size_t done = 0, step; (value || absent) && done < count; done += step) {
        step = count - done < ITEMS_SLICE ? count - done : ITEMS_SLICE;
        if (value)
            items_query(value, argv + 2 + done, step, answers);
        for (size_t i = 0; i < step; i++)
            (void)RedisModule_ReplyWithBool(ctx, answers[i]);
    }
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}
