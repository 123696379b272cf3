/* SPDX-License-Identifier: MIT */
#include "listeners.h"

enum listening { UNKNOWN, NOBODY, SOMEBODY };

static enum listening state = UNKNOWN;

enum { COUNT_MS = 100 };

static unsigned unheard; /* changes that were not counted yet */

static void when_forked(RedisModuleCtx *ctx, RedisModuleEvent event, uint64_t what, void *data)
{
    (void)ctx, (void)event, (void)what, (void)data;
    state = UNKNOWN;
}

int listeners_start(RedisModuleCtx *ctx)
{
    int failed = RedisModule_SubscribeToServerEvent(ctx, RedisModuleEvent_ForkChild, when_forked);
    failed |= RedisModule_SubscribeToServerEvent(ctx, RedisModuleEvent_ReplicationRoleChanged, when_forked);
    return failed ? REDISMODULE_ERR : REDISMODULE_OK;
}

/* A field that cannot be read counts as somebody. */
static int has(RedisModuleServerInfoData *info, const char *field)
{
    int failed = 0;
    return RedisModule_ServerInfoGetFieldSigned(info, field, &failed) != 0 || failed;
}

static enum listening look(RedisModuleCtx *ctx)
{
    int flags = RedisModule_GetContextFlags(ctx);
    if (!(flags & REDISMODULE_CTX_FLAGS_MASTER) ||
        (flags & (REDISMODULE_CTX_FLAGS_AOF | REDISMODULE_CTX_FLAGS_SLAVE | REDISMODULE_CTX_FLAGS_LOADING)))
        return SOMEBODY;
    RedisModuleServerInfoData *info = RedisModule_GetServerInfo(ctx, "replication");
    int heard = has(info, "connected_slaves") || has(info, "repl_backlog_active");
    RedisModule_FreeServerInfo(ctx, info);
    return heard ? SOMEBODY : NOBODY;
}

int listeners_any(RedisModuleCtx *ctx)
{
    if (state == UNKNOWN)
        state = look(ctx);
    return state == SOMEBODY;
}

/* RedisModule_ReplicateVerbatim is the cheapest call that counts a change; of a timer, which has no command, it could
 * send nothing, and it is called only where nobody would get it. */
static void count_changes(RedisModuleCtx *ctx, void *data)
{
    (void)data;
    state = look(ctx);
    for (; state == NOBODY && unheard; unheard--)
        (void)RedisModule_ReplicateVerbatim(ctx);
    unheard = 0;
}

int listeners_want(RedisModuleCtx *ctx)
{
    if (listeners_any(ctx))
        return 1;
    if (unheard++ == 0)
        (void)RedisModule_CreateTimer(ctx, COUNT_MS, count_changes, NULL);
    return 0;
}
