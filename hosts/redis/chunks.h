/* SPDX-License-Identifier: MIT */
/*
 * Filters in pieces, for clients:
 *
 *     UF.DUMP key offset                     -> next offset (0: that was the last), bytes of the .uf file
 *     UF.LOAD key offset bytes [REPLACE]     -> the next offset, or OK with the last piece
 *     BF.SCANDUMP key iterator               -> iterator, bytes          as RedisBloom's clients use them
 *     BF.LOADCHUNK key iterator bytes        -> OK
 *
 * What is dumped is as it was when its first piece was asked for, whatever is added meanwhile. A value is in place when
 * its last piece has come and everything was checked.
 */
#ifndef UFR_CHUNKS_H
#define UFR_CHUNKS_H

#include "host.h"

int command_uf_dump(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_uf_load(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_bf_scandump(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_bf_loadchunk(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
