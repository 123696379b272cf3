/* SPDX-License-Identifier: MIT */
/* INFO ultrafilter: figures of the module, never an item, and of keys no more than their public ids. */
#include "counters.h"

#include "master_keys.h"

struct counters counters;

void counters_info(RedisModuleInfoCtx *ctx, int for_crash_report)
{
    char id[UF_KEY_ID_SIZE];
    (void)for_crash_report;
    (void)RedisModule_InfoAddSection(ctx, "");
    (void)RedisModule_InfoAddFieldCString(ctx, "library", uf_version());
    keys_id(KEY_CURRENT, id);
    (void)RedisModule_InfoAddFieldCString(ctx, "key_id", id);
    keys_id(KEY_OLD, id);
    (void)RedisModule_InfoAddFieldCString(ctx, "old_key_id", id);
    const struct {
        const char *name;
        uint64_t count;
    } fields[] = {
        {"items_queried", counters.queried},         {"items_added", counters.added},
        {"items_refused", counters.refused},         {"items_removed", counters.removed},
        {"filters_created", counters.created},       {"releases", counters.releases},
        {"background_jobs", counters.jobs},          {"refused_loads", counters.refused_loads},
        {"locked_replies", counters.locked_replies},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        (void)RedisModule_InfoAddFieldULongLong(ctx, fields[i].name, fields[i].count);
}
