/* SPDX-License-Identifier: MIT */
/* The native type: what Redis asks of it when it saves, loads, copies, counts and frees values. */
#ifndef UFR_TYPE_H
#define UFR_TYPE_H

#include "value.h"

extern RedisModuleType *filter_type;

int type_create(RedisModuleCtx *ctx);

enum found { FOUND, MISSING, OTHER_TYPE };

/* What an open key holds; a key that is NULL is missing. */
static inline enum found type_of(RedisModuleKey *key, struct value **out)
{
    if (key && RedisModule_ModuleTypeGetType(key) == filter_type) {
        *out = RedisModule_ModuleTypeGetValue(key);
        return FOUND;
    }
    return !key || RedisModule_KeyType(key) == REDISMODULE_KEYTYPE_EMPTY ? MISSING : OTHER_TYPE;
}

void type_save(RedisModuleIO *io, void *value);

/* Loads a value as RDB files and RESTORE have it. NULL: it is damaged. */
void *type_load(RedisModuleIO *io, int version);

#endif
