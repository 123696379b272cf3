/* SPDX-License-Identifier: MIT */
#include "open.h"

#include <stdio.h>

#include "counters.h"
#include "create.h"
#include "jobs.h"
#include "listeners.h"
#include "reply.h"

enum found open_value(RedisModuleKey *key, enum family family, struct value **out)
{
    enum found found = type_of(key, out);
    if (found != FOUND || family == FAMILY_UF)
        return found;
    return ((*out)->figures[FIGURE_FAMILY] == FAMILY_CF) == (family == FAMILY_CF) ? FOUND : OTHER_TYPE;
}

int open_refuse(RedisModuleCtx *ctx, enum found found)
{
    return RedisModule_ReplyWithError(ctx, found == MISSING ? "ERR not found" : REDISMODULE_ERRORMSG_WRONGTYPE);
}

static void say_locked(RedisModuleCtx *ctx, const struct value *value)
{
    uf_error why;
    char id[UF_KEY_ID_SIZE];
    uf_get_key_id(value->filter[0], id);
    counters.locked_replies++;
    (void)reply_set(&why, UF_EKEY,
                    "this filter needs the master key with the id %s, which this server does not have: name its file "
                    "in ultrafilter.key-file or ultrafilter.old-key-file",
                    id);
    (void)reply_why(ctx, &why);
}

int open_is_locked(RedisModuleCtx *ctx, struct value *value)
{
    if (!value_is_locked(value))
        return 0;
    say_locked(ctx, value);
    return 1;
}

int open_is_busy(RedisModuleCtx *ctx, struct value *value)
{
    return open_is_locked(ctx, value) || open_is_frozen(ctx, value);
}

int open_is_frozen(RedisModuleCtx *ctx, const struct value *value)
{
    if (!value->frozen)
        return 0;
    (void)RedisModule_ReplyWithError(ctx, "TRYAGAIN a command in the background reads this filter, or replaces it");
    return 1;
}

void open_set(RedisModuleCtx *ctx, RedisModuleString *name, RedisModuleKey *key, struct value *value,
              const struct record *record, const char *event)
{
    (void)RedisModule_ModuleTypeSetValue(key, filter_type, value);
    (void)RedisModule_SignalModifiedKey(ctx, name);
    if (record)
        replicate_record(ctx, name, record);
    else
        replicate_value(ctx, name, value);
    (void)RedisModule_NotifyKeyspaceEvent(ctx, REDISMODULE_NOTIFY_MODULE, event, name);
}

static struct value *make(const struct asking *asking, RedisModuleKey *key)
{
    struct reservation want = {.event = NULL};
    struct value *value = NULL;
    uf_error why = {0, 0, ""};
    RedisModuleCtx *ctx = asking->ctx;
    if (asking->plan(asking->request, &want, &why) == UF_OK && reserve_fits(ctx, &want, &why) == UF_OK) {
        /* To make it takes a millisecond, whatever its size; to write it down for others does not. */
        if (!reserve_is_quick(&want) && listeners_any(ctx) && job_can_wait(ctx)) {
            (void)reserve_first(ctx, asking->argv, asking->argc, &want, asking->command);
            return NULL;
        }
        value = create_value(&want.spec, want.figures, &why);
    }
    if (value)
        open_set(ctx, asking->argv[1], key, value, NULL, want.event);
    else
        (void)reply_why(ctx, &why);
    return value;
}

struct value *open_to_change(const struct asking *asking, RedisModuleKey *key)
{
    struct value *value = NULL;
    enum found found = open_value(key, asking->family, &value);
    if (found == FOUND)
        return open_is_busy(asking->ctx, value) ? NULL : value;
    if (found == MISSING && asking->plan)
        return make(asking, key);
    (void)open_refuse(asking->ctx, found);
    return NULL;
}
