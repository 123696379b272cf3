/* SPDX-License-Identifier: MIT */
#include "reserve.h"

#include <string.h>

#include "create.h"
#include "jobs.h"
#include "open.h"
#include "reply.h"

struct reserve_job {
    struct job job;
    RedisModuleString *name;
    uf_spec spec;
    uint64_t figures[FIGURES];
    const char *event;
    struct value *value; /* owned */
    struct record *record;
};

static void run(struct job *job)
{
    struct reserve_job *reserve = (struct reserve_job *)job;
    uf_filter *filter = NULL;
    job->status = create_filter(&reserve->spec, &filter, &job->why);
    if (job->status != UF_OK)
        return;
    reserve->value = create_value((enum family)reserve->figures[FIGURE_FAMILY], filter);
    memcpy(reserve->value->figures, reserve->figures, sizeof reserve->figures);
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
    enum found found = open_value(key, (enum family)reserve->figures[FIGURE_FAMILY], &there);
    if (found != MISSING) {
        RedisModule_CloseKey(key);
        return refuse_existing(ctx, found);
    }
    open_set(ctx, reserve->name, key, reserve->value, reserve->record, reserve->event);
    reserve->value = NULL;
    RedisModule_CloseKey(key);
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
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

int reserve(RedisModuleCtx *ctx, RedisModuleString *name, const uf_spec *spec, const uint64_t figures[FIGURES],
            const char *event)
{
    enum found found = look(ctx, name, (enum family)figures[FIGURE_FAMILY]);
    if (found != MISSING)
        return refuse_existing(ctx, found);
    struct reserve_job *job = RedisModule_Calloc(1, sizeof *job);
    job->job.run = run;
    job->job.done = done;
    job->job.free = free_job;
    job->name = RedisModule_HoldString(NULL, name);
    job->spec = *spec;
    job->event = event;
    memcpy(job->figures, figures, sizeof job->figures);
    return job_start(ctx, &job->job, create_memory(spec) <= QUICK_BYTES);
}
