/* SPDX-License-Identifier: MIT */
/* BF.*: RedisBloom's commands, its arguments, replies and errors, over filters that keep their rate. */
#ifndef UFR_BF_H
#define UFR_BF_H

#include "host.h"

int command_bf_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_bf_add(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_bf_madd(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_bf_insert(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_bf_exists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_bf_mexists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_bf_info(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_bf_card(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
