/* SPDX-License-Identifier: MIT */
#include "cf.h"

#include <ctype.h>

#include "create.h"
#include "open.h"
#include "query.h"
#include "reply.h"
#include "reserve.h"
#include "settings.h"

enum { BUCKET = 2, ITERATIONS = 20, EXPANSION = 1 };

static struct cf_request default_request(void)
{
    return (struct cf_request){settings.cf_initial_size, BUCKET, ITERATIONS, EXPANSION};
}

/* RedisBloom rounds what it is asked for up to a power of two. */
static uint64_t power_of_two(uint64_t number)
{
    uint64_t power = 1;
    while (power < number && power < UINT64_C(1) << 62)
        power *= 2;
    return number ? power : 0;
}

static void set_figures(const struct cf_request *request, uint64_t figures[FIGURES])
{
    figures[FIGURE_FAMILY] = FAMILY_CF;
    figures[FIGURE_CAPACITY] = (uint64_t)request->capacity;
    figures[FIGURE_EXPANSION] = power_of_two((uint64_t)request->expansion);
    figures[FIGURE_BUCKET] = (uint64_t)request->bucket;
    figures[FIGURE_ITERATIONS] = (uint64_t)request->iterations;
}

/* ---- CF.RESERVE key capacity [BUCKETSIZE b] [MAXITERATIONS m] [EXPANSION e] ---- */

struct option {
    const char *word, *unread, *range;
    long long least, most;
};

static const struct option options[] = {
    {"MAXITERATIONS", "Couldn't parse MAXITERATIONS",
     "MAXITERATIONS: value must be an integer between 1 and 65535, inclusive.", 1, 65535},
    {"BUCKETSIZE", "Couldn't parse BUCKETSIZE", "BUCKETSIZE: value must be an integer between 1 and 255, inclusive.", 1,
     255},
    {"EXPANSION", "Couldn't parse EXPANSION", "EXPANSION: value must be an integer between 0 and 32768, inclusive.", 0,
     32768},
};

/* What is wrong with it, in RedisBloom's words; NULL: nothing, or it is not said. */
static const char *read_option(RedisModuleString **argv, int argc, const struct option *option, long long *out)
{
    for (int i = 3; i + 1 < argc; i++) {
        if (!argument_is(argv[i], option->word))
            continue;
        if (RedisModule_StringToLongLong(argv[i + 1], out) != REDISMODULE_OK)
            return option->unread;
        return *out < option->least || *out > option->most ? option->range : NULL;
    }
    return NULL;
}

int command_cf_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct cf_request request = default_request();
    long long *numbers[] = {&request.iterations, &request.bucket, &request.expansion};
    uint64_t figures[FIGURES] = {0};
    uf_error why = {0, 0, ""};
    uf_spec spec;
    if (argc < 3 || argc % 2 == 0)
        return RedisModule_WrongArity(ctx);
    if (RedisModule_StringToLongLong(argv[2], &request.capacity) != REDISMODULE_OK)
        return RedisModule_ReplyWithError(ctx, "Bad capacity");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const char *wrong = read_option(argv, argc, &options[i], numbers[i]);
        if (wrong)
            return RedisModule_ReplyWithError(ctx, wrong);
    }
    if (request.bucket * 2 > request.capacity)
        return RedisModule_ReplyWithError(ctx, "Capacity must be at least (BucketSize * 2)");
    if (create_cf_spec(&request, &spec, &why) != UF_OK)
        return reply_why(ctx, &why);
    set_figures(&request, figures);
    return reserve(ctx, argv[1], &spec, figures, "cf.reserve");
}

/* ---- CF.ADD, CF.ADDNX, CF.INSERT, CF.INSERTNX ---- */

/* How items are added, and to what where the key is missing. */
struct insert {
    struct cf_request request;
    int creates, unless_there, many;
};

static struct value *make_value(const void *asked, uf_error *why)
{
    const struct cf_request *request = asked;
    uf_filter *filter = NULL;
    uf_spec spec;
    int status = create_cf_spec(request, &spec, why);
    if (status == UF_OK)
        status = create_filter(&spec, &filter, why);
    if (status != UF_OK)
        return NULL;
    struct value *value = create_value(FAMILY_CF, filter);
    set_figures(request, value->figures);
    return value;
}

/* RedisBloom replies with booleans in RESP3, but for INSERTNX, where -1 says that there was no room. */
static void reply_added(RedisModuleCtx *ctx, int verdict, const struct insert *insert)
{
    int as_number = insert->many && insert->unless_there;
    if (verdict >= 0 && as_number)
        (void)RedisModule_ReplyWithLongLong(ctx, verdict);
    else if (verdict >= 0)
        (void)RedisModule_ReplyWithBool(ctx, verdict);
    else if (!insert->many)
        (void)RedisModule_ReplyWithError(ctx, "Filter is full");
    else if (!as_number && reply_is_resp3(ctx))
        (void)RedisModule_ReplyWithBool(ctx, 0);
    else
        (void)RedisModule_ReplyWithLongLong(ctx, -1);
}

/* 1 added, 0 there already (NX), or a status. */
static int add_item(const struct change *change, RedisModuleString *item, int unless_there, uf_error *why)
{
    uint8_t there = 0;
    int8_t verdict = 0;
    if (unless_there)
        items_query(change->value, &item, 1, &there);
    if (there)
        return 0;
    int status = items_add(change, &item, 1, &verdict, why);
    return status < 0 ? status : 1;
}

static int add(RedisModuleCtx *ctx, RedisModuleString *name, RedisModuleString **items, int count,
               const struct insert *insert)
{
    RedisModuleKey *key = RedisModule_OpenKey(ctx, name, WRITING);
    const struct maker maker = {make_value, &insert->request, "cf.reserve"};
    struct change change = {ctx, name, open_to_change(ctx, name, key, FAMILY_CF, insert->creates ? &maker : NULL)};
    if (change.value && insert->many)
        (void)RedisModule_ReplyWithArray(ctx, count);
    for (int i = 0; change.value && i < count; i++) {
        uf_error why;
        reply_added(ctx, add_item(&change, items[i], insert->unless_there, &why), insert);
    }
    if (change.value)
        (void)RedisModule_NotifyKeyspaceEvent(ctx, REDISMODULE_NOTIFY_MODULE, "cf.add", name);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

static int add_one(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, int unless_there)
{
    const struct insert insert = {default_request(), 1, unless_there, 0};
    return argc == 3 ? add(ctx, argv[1], argv + 2, 1, &insert) : RedisModule_WrongArity(ctx);
}

int command_cf_add(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return add_one(ctx, argv, argc, 0);
}

int command_cf_addnx(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return add_one(ctx, argv, argc, 1);
}

/* Options go by their first letter, as RedisBloom reads them. Returns the index of the first item; 0: the arity is
 * wrong; -1: *wrong says what is. */
static int read_insert(RedisModuleString **argv, int argc, struct insert *out, const char **wrong)
{
    for (int at = 2; at < argc; at++) {
        uf_key word = argument_key(argv[at]);
        int first = word.size ? tolower(*(const unsigned char *)word.data) : 0;
        if (first == 'i')
            return at + 1 < argc ? at + 1 : 0;
        if (first == 'n') {
            out->creates = 0;
            continue;
        }
        *wrong = "Unknown argument received";
        if (first != 'c')
            return -1;
        if (++at == argc)
            return 0;
        *wrong = "Bad capacity";
        if (RedisModule_StringToLongLong(argv[at], &out->request.capacity) != REDISMODULE_OK)
            return -1;
        *wrong = "Capacity must be at least (BucketSize * 2)";
        if (out->request.capacity < 2 * BUCKET)
            return -1;
    }
    return 0;
}

static int insert_items(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, int unless_there)
{
    struct insert insert = {default_request(), 1, unless_there, 1};
    const char *wrong = NULL;
    int first = argc < 4 ? 0 : read_insert(argv, argc, &insert, &wrong);
    if (!first)
        return RedisModule_WrongArity(ctx);
    if (first < 0)
        return RedisModule_ReplyWithError(ctx, wrong);
    return add(ctx, argv[1], argv + first, argc - first, &insert);
}

int command_cf_insert(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return insert_items(ctx, argv, argc, 0);
}

int command_cf_insertnx(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return insert_items(ctx, argv, argc, 1);
}

/* ---- asking ---- */

int command_cf_exists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return query_one(ctx, argv, argc, FAMILY_CF);
}

int command_cf_mexists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return query_many(ctx, argv, argc, FAMILY_CF);
}

static long long count_item(const struct value *value, const RedisModuleString *item)
{
    long long sum = 0;
    for (unsigned i = 0; i < value->levels; i++) {
        int count = uf_count(value->filter[i], argument_key(item));
        sum += count > 0 ? count : 0;
    }
    return sum;
}

int command_cf_count(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct value *value = NULL;
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ);
    enum found found = open_value(key, FAMILY_CF, &value);
    if (found != FOUND)
        (void)RedisModule_ReplyWithLongLong(ctx, 0);
    else if (!open_is_locked(ctx, value))
        (void)RedisModule_ReplyWithLongLong(ctx, count_item(value, argv[2]));
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

/* ---- CF.DEL key item ---- */

static int remove_item(RedisModuleCtx *ctx, RedisModuleString **argv, struct value *value)
{
    const struct change change = {ctx, argv[1], value};
    uf_error why = {0, 0, ""};
    uint8_t removed = 0;
    int status = items_remove(&change, argv + 2, 1, &removed, &why);
    if (status != UF_OK)
        return reply_why(ctx, &why);
    if (removed)
        (void)RedisModule_NotifyKeyspaceEvent(ctx, REDISMODULE_NOTIFY_MODULE, "cf.del", argv[1]);
    return RedisModule_ReplyWithBool(ctx, removed);
}

int command_cf_del(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct value *value = NULL;
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], WRITING);
    if (open_value(key, FAMILY_CF, &value) != FOUND)
        (void)RedisModule_ReplyWithError(ctx, "Not found");
    else if (!open_is_busy(ctx, value))
        (void)remove_item(ctx, argv, value);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

/* ---- CF.INFO key ---- */

static void reply_info(RedisModuleCtx *ctx, const struct value *value)
{
    const uint64_t bucket = value->figures[FIGURE_BUCKET] ? value->figures[FIGURE_BUCKET] : BUCKET;
    const struct {
        const char *name;
        uint64_t number;
    } fields[] = {
        {"Size", value_memory(value)},
        {"Number of buckets", power_of_two(value->figures[FIGURE_CAPACITY] / bucket)},
        {"Number of filters", value_filters(value)},
        {"Number of items inserted", value->figures[FIGURE_ITEMS]},
        {"Number of items deleted", value->figures[FIGURE_DELETED]},
        {"Bucket size", bucket},
        {"Expansion rate", value->figures[FIGURE_EXPANSION]},
        {"Max iterations", value->figures[FIGURE_ITERATIONS]},
    };
    const size_t count = sizeof fields / sizeof fields[0];
    (void)RedisModule_ReplyWithMap(ctx, (long)count);
    for (size_t i = 0; i < count; i++) {
        (void)RedisModule_ReplyWithSimpleString(ctx, fields[i].name);
        (void)RedisModule_ReplyWithLongLong(ctx, (long long)fields[i].number);
    }
}

int command_cf_info(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct value *value = NULL;
    if (argc != 2)
        return RedisModule_WrongArity(ctx);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ);
    enum found found = open_value(key, FAMILY_CF, &value);
    if (found == FOUND)
        reply_info(ctx, value);
    else
        (void)open_refuse(ctx, found);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}
