/* SPDX-License-Identifier: MIT */
/*
 * A module whose commands do nothing, or open a key and do nothing with it: what a module command costs before it
 * begins, and what no command that reads or changes a value can be faster than.
 */
#include <redismodule.h>

static int noop(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    (void)argv, (void)argc;
    return RedisModule_ReplyWithLongLong(ctx, 1);
}

static int noop_open(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    (void)argc;
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ);
    int found = RedisModule_KeyType(key) != REDISMODULE_KEYTYPE_EMPTY;
    RedisModule_CloseKey(key);
    return RedisModule_ReplyWithLongLong(ctx, found);
}

/* What every command that changes a value does: the key is marked as modified when it is closed. */
static int noop_write(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    (void)argc;
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ | REDISMODULE_WRITE);
    int found = RedisModule_KeyType(key) != REDISMODULE_KEYTYPE_EMPTY;
    (void)RedisModule_NotifyKeyspaceEvent(ctx, REDISMODULE_NOTIFY_MODULE, "noop", argv[1]);
    RedisModule_CloseKey(key);
    return RedisModule_ReplyWithLongLong(ctx, found);
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    (void)argv, (void)argc;
    if (RedisModule_Init(ctx, "noop", 1, REDISMODULE_APIVER_1) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    if (RedisModule_CreateCommand(ctx, "noop.open", noop_open, "readonly fast", 1, 1, 1) != REDISMODULE_OK ||
        RedisModule_CreateCommand(ctx, "noop.write", noop_write, "write deny-oom fast", 1, 1, 1) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    return RedisModule_CreateCommand(ctx, "noop.call", noop, "readonly fast", 1, 1, 1);
}
