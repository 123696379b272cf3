/* SPDX-License-Identifier: MIT */
/*
 * Whether anybody listens to changes: a replica, a backlog that one could ask, an append-only file.
 * RedisModule_Replicate costs 0.4 µs also when nobody does, as much as all else that BF.ADD does, so it is left out
 * then. What save points go by, the count of changes, is brought up to date ten times a second.
 *
 * A listener begins with a fork: what was changed before is in the snapshot, and no partial synchronization is possible
 * without a backlog. So it is looked up anew after every fork, after a change of roles, and at the start; not for every
 * change.
 */
#ifndef UFR_LISTENERS_H
#define UFR_LISTENERS_H

#include "host.h"

int listeners_start(RedisModuleCtx *ctx);

/* 1 when somebody listens. */
int listeners_any(RedisModuleCtx *ctx);

/* For one change: 1 when it has to be replicated, otherwise it is counted. */
int listeners_want(RedisModuleCtx *ctx);

#endif
