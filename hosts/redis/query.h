/* SPDX-License-Identifier: MIT */
/* EXISTS and MEXISTS of all families. */
#ifndef UFR_QUERY_H
#define UFR_QUERY_H

#include "value.h"

/* Replies; a missing key, or one of another type, has no items (BF, CF) or is an error (UF). */
int query_one(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, enum family family);
int query_many(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, enum family family);

#endif
