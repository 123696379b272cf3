/* SPDX-License-Identifier: MIT */
/* UF.*: filters of any spec, and what the library can do with them beyond RedisBloom's commands. */
#ifndef UFR_UF_H
#define UFR_UF_H

#include "host.h"

int command_uf_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_uf_add(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_uf_madd(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_uf_exists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_uf_mexists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_uf_remove(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_uf_info(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_uf_claim(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
