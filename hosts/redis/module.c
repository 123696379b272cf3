/* SPDX-License-Identifier: MIT */
/* The module's entry. */
#include "commands.h"
#include "counters.h"
#include "listeners.h"
#include "master_keys.h"
#include "settings.h"
#include "type.h"

static int begin(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (RedisModule_Init(ctx, MODULE_NAME, MODULE_VERSION, REDISMODULE_APIVER_1) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    RedisModule_SetModuleOptions(ctx,
                                 REDISMODULE_OPTIONS_HANDLE_IO_ERRORS | REDISMODULE_OPTION_NO_IMPLICIT_SIGNAL_MODIFIED);
    if (settings_arguments(ctx, argv, argc) != REDISMODULE_OK || settings_register(ctx) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    return listeners_start(ctx) == REDISMODULE_OK ? type_create(ctx) : REDISMODULE_ERR;
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (begin(ctx, argv, argc) != REDISMODULE_OK || commands_create(ctx) != REDISMODULE_OK ||
        RedisModule_RegisterInfoFunc(ctx, counters_info) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    if (!keys_present())
        RedisModule_Log(ctx, "warning",
                        "there is no master key: filters are made without one, and whoever knows the seed of a filter "
                        "can choose items that it errs on; name a key file in ultrafilter.key-file");
    return REDISMODULE_OK;
}

__attribute__((visibility("default"))) int RedisModule_OnUnload(RedisModuleCtx *ctx)
{
    (void)ctx;
    keys_forget();
    return REDISMODULE_OK;
}
