/* SPDX-License-Identifier: MIT */
/*
 * What replicas and the append-only file get. Never an item, and never a command whose result is drawn by chance:
 *
 *     UF.APPLY key digests        items that were added, 16 bytes each (uf_add_digests)
 *     UF.UNAPPLY key digests      items that were removed
 *     UF.PUT key piece            a whole value, piece by piece: 'n' and the first one, 'b' and bytes, 'z' and how many
 *                                 zeros (8 bytes, little-endian); it is in place once it is whole. 'm' instead of 'n':
 *                                 one more filter for the value that is there
 *
 * A copy follows without the key, then. All three are refused from clients: whoever chooses digests chooses bits.
 */
#ifndef UFR_REPLICATE_H
#define UFR_REPLICATE_H

#include "value.h"

/* After a new value was put in place. */
void replicate_value(RedisModuleCtx *ctx, RedisModuleString *key, const struct value *value);

/* After it got a further filter. */
void replicate_level(RedisModuleCtx *ctx, RedisModuleString *key, const struct value *value);

/* The same in two steps, of which a thread may do the first: it reads the whole value. */
struct record;
struct record *record_make(const struct value *value);
void replicate_record(RedisModuleCtx *ctx, RedisModuleString *key, const struct record *record);
void record_free(struct record *record); /* NULL is fine */

/* The same into the append-only file that is being rewritten. */
void replicate_rewrite(RedisModuleIO *aof, RedisModuleString *key, void *value);

void replicate_digests(RedisModuleCtx *ctx, RedisModuleString *key, const uf_digest *digests, size_t count);
void replicate_removed(RedisModuleCtx *ctx, RedisModuleString *key, const uf_digest *digests, size_t count);

int command_apply(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_unapply(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_put(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
