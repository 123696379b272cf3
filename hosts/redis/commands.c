/* SPDX-License-Identifier: MIT */
/*
 * Commands with items among their arguments are in no MONITOR and no SLOWLOG: those would keep items that the filter
 * itself does not.
 */
#include "commands.h"

#include <string.h>

#include "bf.h"
#include "cf.h"
#include "chunks.h"
#include "combine.h"
#include "digests.h"
#include "replicate.h"
#include "uf.h"

#define ITEMS_ADD "write deny-oom fast no-monitor no-slowlog"
#define ITEMS_ASK "readonly fast no-monitor no-slowlog"
#define ITEMS_REMOVE "write fast no-monitor no-slowlog"
#define MAKES "write deny-oom"
#define LOOKS "readonly fast"
#define READS "readonly"
#define LOADS "write deny-oom no-monitor no-slowlog"
#define INNER "write deny-oom no-monitor no-slowlog deny-script"

struct command {
    const char *name;
    RedisModuleCmdFunc call;
    const char *flags;
    int last_key; /* the first is argument 1 */
    int arity;    /* negative: at least */
    const char *summary, *complexity;
};

static const struct command commands[] = {
    {"bf.reserve", command_bf_reserve, MAKES, 1, -4, "Makes an empty filter", "O(1)"},
    {"bf.add", command_bf_add, ITEMS_ADD, 1, 3, "Adds an item, and makes the filter if it is missing", "O(1)"},
    {"bf.madd", command_bf_madd, ITEMS_ADD, 1, -3, "Adds items", "O(N) of the items"},
    {"bf.insert", command_bf_insert, ITEMS_ADD, 1, -4, "Adds items, with options for a new filter",
     "O(N) of the items"},
    {"bf.exists", command_bf_exists, ITEMS_ASK, 1, 3, "Asks for an item", "O(1)"},
    {"bf.mexists", command_bf_mexists, ITEMS_ASK, 1, -3, "Asks for items", "O(N) of the items"},
    {"bf.info", command_bf_info, LOOKS, 1, -2, "Figures of a filter", "O(1)"},
    {"bf.card", command_bf_card, LOOKS, 1, 2, "Items that were new when they were added", "O(1)"},
    {"bf.scandump", command_bf_scandump, READS, 1, 3, "A filter in pieces", "O(N) of its bytes"},
    {"bf.loadchunk", command_bf_loadchunk, LOADS, 1, 4, "A filter from pieces", "O(N) of the bytes"},
    {"cf.reserve", command_cf_reserve, MAKES, 1, -3, "Makes an empty filter that forgets", "O(1)"},
    {"cf.add", command_cf_add, ITEMS_ADD, 1, 3, "Adds an item, and makes the filter if it is missing", "O(1)"},
    {"cf.addnx", command_cf_addnx, ITEMS_ADD, 1, 3, "Adds an item that is not there", "O(1)"},
    {"cf.insert", command_cf_insert, ITEMS_ADD, 1, -4, "Adds items, with options for a new filter",
     "O(N) of the items"},
    {"cf.insertnx", command_cf_insertnx, ITEMS_ADD, 1, -4, "Adds items that are not there", "O(N) of the items"},
    {"cf.exists", command_cf_exists, ITEMS_ASK, 1, 3, "Asks for an item", "O(1)"},
    {"cf.mexists", command_cf_mexists, ITEMS_ASK, 1, -3, "Asks for items", "O(N) of the items"},
    {"cf.count", command_cf_count, ITEMS_ASK, 1, 3, "How often an item is in a filter, at most", "O(1)"},
    {"cf.del", command_cf_del, ITEMS_REMOVE, 1, 3, "Takes an item out", "O(1)"},
    {"cf.info", command_cf_info, LOOKS, 1, 2, "Figures of a filter", "O(1)"},
    {"uf.reserve", command_uf_reserve, MAKES, 1, 3, "Makes an empty filter of a spec", "O(1)"},
    {"uf.add", command_uf_add, ITEMS_ADD, 1, 3, "Adds an item", "O(1)"},
    {"uf.madd", command_uf_madd, ITEMS_ADD, 1, -3, "Adds items", "O(N) of the items"},
    {"uf.exists", command_uf_exists, ITEMS_ASK, 1, 3, "Asks for an item", "O(1)"},
    {"uf.mexists", command_uf_mexists, ITEMS_ASK, 1, -3, "Asks for items", "O(N) of the items"},
    {"uf.dadd", command_uf_dadd, ITEMS_ADD, 1, 3, "Adds items by their digests", "O(N) of the digests"},
    {"uf.dexists", command_uf_dexists, ITEMS_ASK, 1, 3, "Asks for items by their digests", "O(N) of the digests"},
    {"uf.remove", command_uf_remove, ITEMS_REMOVE, 1, -3, "Takes items out", "O(N) of the items"},
    {"uf.info", command_uf_info, LOOKS, 1, 2, "Figures of a filter", "O(1)"},
    {"uf.claim", command_uf_claim, READS, 1, 2, "What a filter promises", "O(N) of its bytes"},
    {"uf.merge", command_uf_merge, MAKES, -1, -3, "Makes a union of filters", "O(N) of their bytes"},
    {"uf.release", command_uf_release, MAKES, 2, -5, "Makes a private copy of a filter", "O(N) of its bytes"},
    {"uf.dump", command_uf_dump, READS, 1, 3, "A .uf file in pieces", "O(N) of its bytes"},
    {"uf.load", command_uf_load, LOADS, 1, -4, "A filter from pieces of a .uf file", "O(N) of the bytes"},
    {"uf.apply", command_apply, INNER, 1, 3, "For replicas: digests of items that were added", "O(N)"},
    {"uf.unapply", command_unapply, INNER, 1, 3, "For replicas: digests of items that were removed", "O(N)"},
    {"uf.put", command_put, INNER, 1, 3, "For replicas: a piece of a filter", "O(N)"},
};

static uint64_t key_flags(const struct command *command)
{
    if (strstr(command->flags, "readonly"))
        return REDISMODULE_CMD_KEY_RO | REDISMODULE_CMD_KEY_ACCESS;
    return REDISMODULE_CMD_KEY_RW | REDISMODULE_CMD_KEY_UPDATE | REDISMODULE_CMD_KEY_ACCESS;
}

static int describe(RedisModuleCtx *ctx, const struct command *command)
{
    RedisModuleCommand *handle = RedisModule_GetCommand(ctx, command->name);
    RedisModuleCommandKeySpec keys[2] = {
        {.flags = key_flags(command),
         .begin_search_type = REDISMODULE_KSPEC_BS_INDEX,
         .bs.index.pos = 1,
         .find_keys_type = REDISMODULE_KSPEC_FK_RANGE,
         .fk.range = {command->last_key < 0 ? command->last_key : command->last_key - 1, 1, 0}}};
    const RedisModuleCommandInfo info = {
        .version = REDISMODULE_COMMAND_INFO_VERSION,
        .summary = command->summary,
        .complexity = command->complexity,
        .since = "1.0.0",
        .arity = command->arity,
        .key_specs = keys,
    };
    return handle ? RedisModule_SetCommandInfo(handle, &info) : REDISMODULE_ERR;
}

/* Categories of access lists, which Redis 7.0 has for its own commands only. */
static void categorize(RedisModuleCtx *ctx, const struct command *command)
{
    int (*set)(RedisModuleCommand *, const char *) = NULL;
    int reads = strstr(command->flags, "readonly") != NULL, fast = strstr(command->flags, "fast") != NULL;
    (void)RedisModule_GetApi("RedisModule_SetCommandACLCategories", (void *)&set);
    if (set)
        (void)set(RedisModule_GetCommand(ctx, command->name),
                  reads ? (fast ? "read fast" : "read slow") : (fast ? "write fast" : "write slow"));
}

int commands_create(RedisModuleCtx *ctx)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const struct command *command = &commands[i];
        if (RedisModule_CreateCommand(ctx, command->name, command->call, command->flags, 1, command->last_key, 1) !=
                REDISMODULE_OK ||
            describe(ctx, command) != REDISMODULE_OK)
            return REDISMODULE_ERR;
        categorize(ctx, command);
    }
    return REDISMODULE_OK;
}
