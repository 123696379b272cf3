/* SPDX-License-Identifier: MIT */
/* A new, empty filter under a key that does not exist: of the RESERVE commands, and of those that make what they need.
 */
#ifndef UFR_RESERVE_H
#define UFR_RESERVE_H

#include "value.h"

/* What is to be made, and the event that tells of it. */
struct reservation {
    uf_spec spec;
    uint64_t figures[FIGURES];
    const char *event;
};

/* Replies OK, or why not. A large one is made by a thread: its pages are written on the way to the replicas. */
int reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, const struct reservation *want);

/* For a command that needs a filter which is not there, and is too large to make at once: it is called again when it
 * is. */
int reserve_first(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, const struct reservation *want,
                  RedisModuleCmdFunc command);

/* UF_OK, or UF_ENOMEM: maxmemory does not leave so much. */
int reserve_fits(RedisModuleCtx *ctx, const struct reservation *want, uf_error *why);

/* 1: it is made in less than a millisecond. */
int reserve_is_quick(const struct reservation *want);

#endif
