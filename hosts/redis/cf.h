/* SPDX-License-Identifier: MIT */
/*
 * CF.*: RedisBloom's commands for filters that forget, over kind counting. A value that may grow gets a further filter
 * when the last one is full; all of them share seed and key, so that an item has one digest.
 */
#ifndef UFR_CF_H
#define UFR_CF_H

#include "host.h"

int command_cf_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_cf_add(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_cf_addnx(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_cf_insert(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_cf_insertnx(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_cf_exists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_cf_mexists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_cf_del(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_cf_count(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_cf_info(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
