/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "master_keys.h"
#include "reply.h"

struct settings settings = {.error_rate = 0.01,
                            .cf_error_rate = 0.03,
                            .initial_size = 100,
                            .cf_initial_size = 1024,
                            .cf_max_expansions = 32,
                            .max_bytes = 1LL << 32};

/* ---- texts: files, and rates, for which Redis has no type ---- */

/* What is kept of a text, and what comes of a new one: UF_OK, or why not. */
struct text {
    const char *name, *start;
    char *path; /* NULL: it is a rate */
    double *rate;
    int slot; /* of a key, or -1 */
    RedisModuleString *shown;
};

static struct text texts[] = {
    {"key-file", "", settings.key_file, NULL, KEY_CURRENT, NULL},
    {"old-key-file", "", settings.old_key_file, NULL, KEY_OLD, NULL},
    {"ledger", "", settings.ledger, NULL, -1, NULL},
    {"error-rate", "0.01", NULL, &settings.error_rate, -1, NULL},
    {"cf-error-rate", "0.03", NULL, &settings.cf_error_rate, -1, NULL},
    {"ledger-budget", "0", NULL, &settings.ledger_budget, 0, NULL},
};

static int set_path(struct text *text, const char *value, uf_error *why)
{
    int status = text->slot >= 0 ? keys_load((enum key_slot)text->slot, value, why) : UF_OK;
    if (status == UF_OK)
        strcpy(text->path, value);
    return status;
}

/* slot 0 of a rate: it may be 0 or above 1. */
static int set_rate(struct text *text, const char *value, uf_error *why)
{
    char *end;
    double rate = strtod(value, &end);
    int fine = *value && !*end && (text->slot == 0 ? rate >= 0 && rate < 1e6 : rate > 0 && rate < 1);
    if (!fine)
        return reply_set(why, UF_EINVAL, "%s=%s is not possible: it is a number %s", text->name, value,
                         text->slot == 0 ? "from 0" : "above 0 and below 1");
    *text->rate = rate;
    return UF_OK;
}

static int set_text(const char *name, RedisModuleString *value, void *data, RedisModuleString **err)
{
    struct text *text = data;
    char buffer[SETTING_TEXT];
    uf_error why = {0, 0, ""};
    int status = argument_text(value, buffer, sizeof buffer, name, &why);
    if (status == UF_OK)
        status = text->path ? set_path(text, buffer, &why) : set_rate(text, buffer, &why);
    if (status == UF_OK)
        return REDISMODULE_OK;
    *err = RedisModule_CreateString(NULL, why.text, strlen(why.text));
    return REDISMODULE_ERR;
}

static RedisModuleString *get_text(const char *name, void *data)
{
    struct text *text = data;
    (void)name;
    if (text->shown)
        RedisModule_FreeString(NULL, text->shown);
    text->shown = text->path ? RedisModule_CreateString(NULL, text->path, strlen(text->path))
                             : RedisModule_CreateStringPrintf(NULL, "%g", *text->rate);
    return text->shown;
}

/* ---- numbers ---- */

struct numeric {
    const char *name;
    long long start, least;
    unsigned flags;
    long long *number;
};

static struct numeric numerics[] = {
    {"initial-size", 100, 1, REDISMODULE_CONFIG_DEFAULT, &settings.initial_size},
    {"cf-initial-size", 1024, 4, REDISMODULE_CONFIG_DEFAULT, &settings.cf_initial_size},
    {"cf-max-expansions", 32, 1, REDISMODULE_CONFIG_DEFAULT, &settings.cf_max_expansions},
    {"max-bytes", 1LL << 32, 1 << 16, REDISMODULE_CONFIG_MEMORY, &settings.max_bytes},
};

static long long get_number(const char *name, void *data)
{
    (void)name;
    return *((struct numeric *)data)->number;
}

static int set_number(const char *name, long long value, void *data, RedisModuleString **err)
{
    (void)name, (void)err;
    *((struct numeric *)data)->number = value;
    return REDISMODULE_OK;
}

static int get_require(const char *name, void *data)
{
    (void)name, (void)data;
    return settings.require_key;
}

static int set_require(const char *name, int value, void *data, RedisModuleString **err)
{
    (void)name, (void)data, (void)err;
    settings.require_key = value;
    return REDISMODULE_OK;
}

int settings_register(RedisModuleCtx *ctx)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        failed |= RedisModule_RegisterStringConfig(ctx, texts[i].name, texts[i].start, REDISMODULE_CONFIG_DEFAULT,
                                                   get_text, set_text, NULL, &texts[i]);
    for (size_t i = 0; i < sizeof numerics / sizeof numerics[0]; i++)
        failed |=
            RedisModule_RegisterNumericConfig(ctx, numerics[i].name, numerics[i].start, numerics[i].flags,
                                              numerics[i].least, INT64_MAX, get_number, set_number, NULL, &numerics[i]);
    failed |= RedisModule_RegisterBoolConfig(ctx, "require-key", 0, REDISMODULE_CONFIG_DEFAULT, get_require,
                                             set_require, NULL, NULL);
    return failed ? REDISMODULE_ERR : RedisModule_LoadConfigs(ctx);
}

/* ---- RedisBloom's arguments ---- */

static int set_argument(const RedisModuleString *name, const RedisModuleString *value)
{
    long long number;
    double rate;
    int is_number = RedisModule_StringToLongLong(value, &number) == REDISMODULE_OK && number > 0;
    if (argument_is(name, "INITIAL_SIZE") && is_number)
        settings.initial_size = number;
    else if (argument_is(name, "CF_MAX_EXPANSIONS") && is_number)
        settings.cf_max_expansions = number;
    else if (argument_is(name, "ERROR_RATE") && RedisModule_StringToDouble(value, &rate) == REDISMODULE_OK &&
             rate > 0 && rate < 1)
        settings.error_rate = rate;
    else
        return REDISMODULE_ERR;
    return REDISMODULE_OK;
}

int settings_arguments(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    for (int i = 0; i < argc; i += 2)
        if (i + 1 == argc || set_argument(argv[i], argv[i + 1]) != REDISMODULE_OK) {
            RedisModule_Log(ctx, "warning",
                            "argument %d of the module is not known, or its value is not possible: there are "
                            "ERROR_RATE, INITIAL_SIZE and CF_MAX_EXPANSIONS; all else is set in the configuration, as "
                            "ultrafilter.NAME",
                            i + 1);
            return REDISMODULE_ERR;
        }
    return REDISMODULE_OK;
}
