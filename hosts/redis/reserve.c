/* SPDX-License-Identifier: MIT */
#include "reserve.h"

#include <string.h>

#include "create.h"
#include "jobs.h"
#include "listeners.h"
#include "open.h"
#include "reply.h"

struct reserve_job {
    struct job job;
    RedisModuleString *name;
    struct reservation want;
    RedisModuleCmdFunc then; /* NULL: nothing is to be done with it */
    int others;              /* listen */
    struct value *value;     /* owned */
    struct record *record;
};

static void run(struct job *job)
{
    struct reserve_job *reserve = (struct reserve_job *)job;
    reserve->value = create_value(&reserve->want.spec, reserve->want.figures, &job->why);
    job->status = reserve->value ? UF_OK : job->why.status;
    if (reserve->value && reserve->others)
        reserve->record = record_make(reserve->value);
}

/* RedisBloom says "item exists" of a key that is there. */
static int refuse_existing(RedisModuleCtx *ctx, enum found found)
{
    return RedisModule_ReplyWithError(ctx, found == FOUND ? "ERR item exists" : REDISMODULE_ERRORMSG_WRONGTYPE);
}

static int done(RedisModuleCtx *ctx, struct job *job)
{
    struct reserve_job *reserve = (struct reserve_job *)job;
    struct value *there;
    if (job->status != UF_OK)
        return reply_why(ctx, &job->why);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, reserve->name, WRITING);
    enum found found = open_value(key, (enum family)reserve->want.figures[FIGURE_FAMILY], &there);
    if (found == MISSING) {
        open_set(ctx, reserve->name, key, reserve->value, reserve->record, reserve->want.event);
        reserve->value = NULL;
    }
    RedisModule_CloseKey(key);
    if (reserve->then)
        return reserve->then(ctx, job->argv, job->argc);
    return found == MISSING ? RedisModule_ReplyWithSimpleString(ctx, "OK") : refuse_existing(ctx, found);
}

static void free_job(struct job *job)
{
    struct reserve_job *reserve = (struct reserve_job *)job;
    value_release(reserve->value);
    record_free(reserve->record);
    RedisModule_FreeString(NULL, reserve->name);
    RedisModule_Free(reserve);
}

static enum found look(RedisModuleCtx *ctx, RedisModuleString *name, enum family family)
{
    struct value *there;
    RedisModuleKey *key = RedisModule_OpenKey(ctx, name, REDISMODULE_READ);
    enum found found = open_value(key, family, &there);
    RedisModule_CloseKey(key);
    return found;
}

int reserve_is_quick(const struct reservation *want)
{
    return create_memory(&want->spec) <= QUICK_BYTES;
}

/* Redis asks before a command whether maxmemory is exceeded, and not how much it will take. A large filter is refused
 * where nothing can be evicted for it. */
int reserve_fits(RedisModuleCtx *ctx, const struct reservation *want, uf_error *why)
{
    int failed = 0;
    uint64_t bytes = create_memory(&want->spec);
    if (bytes <= QUICK_BYTES || RedisModule_GetUsedMemoryRatio() <= 0)
        return UF_OK;
    RedisModuleServerInfoData *info = RedisModule_GetServerInfo(ctx, "memory");
    const char *policy = RedisModule_ServerInfoGetFieldC(info, "maxmemory_policy");
    uint64_t most = RedisModule_ServerInfoGetFieldUnsigned(info, "maxmemory", &failed);
    uint64_t used = RedisModule_ServerInfoGetFieldUnsigned(info, "used_memory", &failed);
    int evicts = policy && strcmp(policy, "noeviction") != 0;
    RedisModule_FreeServerInfo(ctx, info);
    uint64_t left = evicts ? most : most > used ? most - used : 0;
    if (failed || bytes <= left)
        return UF_OK;
    return reply_set(why, UF_ENOMEM, "it would take %llu bytes, and maxmemory leaves %llu", (unsigned long long)bytes,
                     (unsigned long long)left);
}

int reserve_first(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, const struct reservation *want,
                  RedisModuleCmdFunc command)
{
    struct reserve_job *job = RedisModule_Calloc(1, sizeof *job);
    job->job.run = run;
    job->job.done = done;
    job->job.free = free_job;
    job->name = RedisModule_HoldString(NULL, argv[1]);
    job->want = *want;
    job->then = command;
    job->others = listeners_any(ctx);
    return job_start(ctx, &job->job, argv, argc, reserve_is_quick(want));
}

int reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, const struct reservation *want)
{
    uf_error why = {0, 0, ""};
    enum found found = look(ctx, argv[1], (enum family)want->figures[FIGURE_FAMILY]);
    if (found != MISSING)
        return refuse_existing(ctx, found);
    if (reserve_fits(ctx, want, &why) != UF_OK)
        return reply_why(ctx, &why);
    return reserve_first(ctx, argv, argc, want, NULL);
}
