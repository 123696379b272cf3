/* SPDX-License-Identifier: MIT */
/* Keys of commands: opened, looked at, and refused in the words that a family of commands has for it. */
#ifndef UFR_OPEN_H
#define UFR_OPEN_H

#include "items.h"
#include "replicate.h"
#include "reserve.h"
#include "type.h"

#define WRITING (REDISMODULE_READ | REDISMODULE_WRITE)

/* A key of another family is of another type: BF does not see what CF made, nor the other way round. UF sees all. */
enum found open_value(RedisModuleKey *key, enum family family, struct value **out);

/* "ERR not found", or WRONGTYPE. */
int open_refuse(RedisModuleCtx *ctx, enum found found);

/* 0, or 1 when it replied that the value is locked, or for a change, that a thread reads it. */
int open_is_locked(RedisModuleCtx *ctx, struct value *value);
int open_is_busy(RedisModuleCtx *ctx, struct value *value);
int open_is_frozen(RedisModuleCtx *ctx, const struct value *value);

/* A command that needs a value, and how it is made where it is missing. */
struct asking {
    RedisModuleCtx *ctx;
    RedisModuleString **argv;
    int argc;
    enum family family;
    /* What to make, of `request`; NULL: a missing key is an error. */
    int (*plan)(const void *request, struct reservation *out, uf_error *why);
    const void *request;
    RedisModuleCmdFunc command; /* that is called again when a thread has made it */
};

/* The value that items go into or come out of. NULL: the reply was given, or will be. */
struct value *open_to_change(const struct asking *asking, RedisModuleKey *key);

/* Puts a new value under an open key, in the place of what is there: with an event, and to replicas; as the record,
 * when a thread made one. */
void open_set(RedisModuleCtx *ctx, RedisModuleString *name, RedisModuleKey *key, struct value *value,
              const struct record *record, const char *event);

#endif
