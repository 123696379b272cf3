/* SPDX-License-Identifier: MIT */
/*
 * Work that takes longer than a millisecond: a thread does it while its client waits and all others are served.
 *
 *     run      in the thread, or at once where it is quick or the client cannot wait (MULTI, scripts, replicas)
 *     done     in the main thread: changes the keyspace, and replies
 *     free     in the main thread, also when the client has gone away meanwhile and `done` is not called
 */
#ifndef UFR_JOBS_H
#define UFR_JOBS_H

#include "host.h"

struct job {
    void (*run)(struct job *job);
    int (*done)(RedisModuleCtx *ctx, struct job *job);
    void (*free)(struct job *job);
    RedisModuleBlockedClient *client;
    int status;
    uf_error why;
};

/* The job belongs to it from here on. */
int job_start(RedisModuleCtx *ctx, struct job *job, int quick);

#endif
