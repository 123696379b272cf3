/* SPDX-License-Identifier: MIT */
/* Values made of other values, by a thread: UF.MERGE and UF.RELEASE. */
#ifndef UFR_COMBINE_H
#define UFR_COMBINE_H

#include "host.h"

int command_uf_merge(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_uf_release(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
