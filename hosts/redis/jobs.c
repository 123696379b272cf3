/* SPDX-License-Identifier: MIT */
#include "jobs.h"

#include <pthread.h>

#include "counters.h"

static void *run_in_thread(void *arg)
{
    struct job *job = arg;
    job->run(job);
    (void)RedisModule_UnblockClient(job->client, job);
    return NULL;
}

static int when_done(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct job *job = RedisModule_GetBlockedClientPrivateData(ctx);
    (void)argv, (void)argc;
    return job->done(ctx, job);
}

static void free_job(RedisModuleCtx *ctx, void *job)
{
    (void)ctx;
    ((struct job *)job)->free(job);
}

static int run_at_once(RedisModuleCtx *ctx, struct job *job)
{
    job->run(job);
    int result = job->done(ctx, job);
    job->free(job);
    return result;
}

static int start_thread(struct job *job)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes))
        return 1;
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int failed = pthread_create(&thread, &attributes, run_in_thread, job);
    (void)pthread_attr_destroy(&attributes);
    return failed;
}

int job_start(RedisModuleCtx *ctx, struct job *job, int quick)
{
    const int alone = REDISMODULE_CTX_FLAGS_DENY_BLOCKING | REDISMODULE_CTX_FLAGS_MULTI | REDISMODULE_CTX_FLAGS_LUA |
                      REDISMODULE_CTX_FLAGS_REPLICATED | REDISMODULE_CTX_FLAGS_LOADING;
    if (quick || (RedisModule_GetContextFlags(ctx) & alone))
        return run_at_once(ctx, job);
    job->client = RedisModule_BlockClient(ctx, when_done, NULL, free_job, 0);
    if (start_thread(job)) {
        (void)RedisModule_AbortBlock(job->client);
        return run_at_once(ctx, job);
    }
    counters.jobs++;
    return REDISMODULE_OK;
}
