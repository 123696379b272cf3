/* SPDX-License-Identifier: MIT */
/*
 * For clients that hash themselves, so that neither items nor keys reach the server:
 *
 *     UF.DEXISTS key digests      digests of 16 bytes each (docs/partitions.md#digests), one behind the other. Replies
 *                                 with a bit for each, in the order of GETBIT: the first is the highest of a byte
 *     UF.DADD key digests         replies with a character for each: 1 new, 0 known, - refused since the filter is
 *                                 full, p since it belongs to another part of it
 *
 * Values whose key the server lacks answer and take them, too. Whoever chooses digests chooses bits: such commands are
 * for programs of one's own, which access lists can tell from others.
 */
#ifndef UFR_DIGESTS_H
#define UFR_DIGESTS_H

#include "host.h"

/* Of one call: about half a millisecond. Clients send one call after the other without waiting. */
enum { MOST_DIGESTS = 1 << 14 };

int command_uf_dexists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_uf_dadd(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
