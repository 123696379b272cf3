/* SPDX-License-Identifier: MIT */
/* A new, empty filter under a key that does not exist: BF.RESERVE, CF.RESERVE and UF.RESERVE. */
#ifndef UFR_RESERVE_H
#define UFR_RESERVE_H

#include "value.h"

/* Replies OK, or why not. A large one is made by a thread: its pages are written on the way to the replicas. */
int reserve(RedisModuleCtx *ctx, RedisModuleString *name, const uf_spec *spec, const uint64_t figures[FIGURES],
            const char *event);

#endif
