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
    RedisModuleString **argv; /* of the command, for `done` */
    int argc;
    int status;
    uf_error why;
};

/* Runs this in a thread of its own; not 0 when there is none. */
int job_thread(void *(*run)(void *), void *arg);

/* Whether the client can wait: not in MULTI and scripts, nor when it has waited already and the reply is due. */
int job_can_wait(RedisModuleCtx *ctx);

/* The job belongs to it from here on. */
int job_start(RedisModuleCtx *ctx, struct job *job, RedisModuleString **argv, int argc, int quick);

#endif
