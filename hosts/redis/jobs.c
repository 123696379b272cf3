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

static int replying;

static int finish(RedisModuleCtx *ctx, struct job *job, RedisModuleString **argv, int argc)
{
    job->argv = argv;
    job->argc = argc;
    replying++;
    int result = job->done(ctx, job);
    replying--;
    return result;
}

static int when_done(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return finish(ctx, RedisModule_GetBlockedClientPrivateData(ctx), argv, argc);
}

static void free_job(RedisModuleCtx *ctx, void *job)
{
    (void)ctx;
    ((struct job *)job)->free(job);
}

static int run_at_once(RedisModuleCtx *ctx, struct job *job, RedisModuleString **argv, int argc)
{
    job->run(job);
    int result = finish(ctx, job, argv, argc);
    job->free(job);
    return result;
}

int job_thread(void *(*run)(void *), void *arg)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes))
        return 1;
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int failed = pthread_create(&thread, &attributes, run, arg);
    (void)pthread_attr_destroy(&attributes);
    return failed;
}

int job_can_wait(RedisModuleCtx *ctx)
{
    const int alone = REDISMODULE_CTX_FLAGS_DENY_BLOCKING | REDISMODULE_CTX_FLAGS_MULTI | REDISMODULE_CTX_FLAGS_LUA |
                      REDISMODULE_CTX_FLAGS_REPLICATED | REDISMODULE_CTX_FLAGS_LOADING;
    return !replying && !(RedisModule_GetContextFlags(ctx) & alone);
}

int job_start(RedisModuleCtx *ctx, struct job *job, RedisModuleString **argv, int argc, int quick)
{
    if (quick || !job_can_wait(ctx))
        return run_at_once(ctx, job, argv, argc);
    job->client = RedisModule_BlockClient(ctx, when_done, NULL, free_job, 0);
    if (job_thread(run_in_thread, job)) {
        (void)RedisModule_AbortBlock(job->client);
        return run_at_once(ctx, job, argv, argc);
    }
    counters.jobs++;
    return REDISMODULE_OK;
}
