/* SPDX-License-Identifier: MIT */
#include "cf.h"

#include <ctype.h>

#include "create.h"
#include "many.h"
#include "open.h"
#include "query.h"
#include "reply.h"
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

static int plan(const void *asked, struct reservation *out, uf_error *why)
{
    const struct cf_request *request = asked;
    out->figures[FIGURE_FAMILY] = FAMILY_CF;
    out->figures[FIGURE_CAPACITY] = (uint64_t)request->capacity;
    out->figures[FIGURE_EXPANSION] = power_of_two((uint64_t)request->expansion);
    out->figures[FIGURE_BUCKET] = (uint64_t)request->bucket;
    out->figures[FIGURE_ITERATIONS] = (uint64_t)request->iterations;
    out->event = "cf.reserve";
    return create_cf_spec(request, &out->spec, why);
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
    struct reservation want = {.event = NULL};
    uf_error why = {0, 0, ""};
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
    return plan(&request, &want, &why) == UF_OK ? reserve(ctx, argv, argc, &want) : reply_why(ctx, &why);
}

/* ---- CF.ADD, CF.ADDNX, CF.INSERT, CF.INSERTNX ---- */

/* How items are added. */
enum { UNLESS_THERE = 1, ONE = 2 };

/* RedisBloom replies with booleans in RESP3, but for INSERTNX, where -1 says that there was no room. */
static void reply_added(RedisModuleCtx *ctx, int verdict, int how)
{
    int as_number = how == UNLESS_THERE;
    if (verdict >= 0 && as_number)
        (void)RedisModule_ReplyWithLongLong(ctx, verdict);
    else if (verdict >= 0)
        (void)RedisModule_ReplyWithBool(ctx, verdict);
    else if (how & ONE)
        (void)RedisModule_ReplyWithError(ctx, "Filter is full");
    else if (!as_number && reply_is_resp3(ctx))
        (void)RedisModule_ReplyWithBool(ctx, 0);
    else
        (void)RedisModule_ReplyWithLongLong(ctx, -1);
}

/* 1 added, 0 there already (NX), or a status. */
static int add_item(struct change *change, RedisModuleString *item, int how, uf_error *why)
{
    uint8_t there = 0;
    int8_t verdict = 0;
    if (how & UNLESS_THERE)
        items_query(change->value, &item, 1, &there);
    if (there)
        return 0;
    int status = items_add(change, &item, 1, &verdict, why);
    return status < 0 ? status : 1;
}

/* What is known counts once more, and so is added like the others. */
static size_t add_slice(struct many *many, struct change *change, RedisModuleString **items, size_t count,
                        int8_t *verdict)
{
    int status = UF_OK;
    if (!many->variant)
        status = items_add(change, items, count, verdict, &many->why);
    for (size_t i = 0; i < count; i++)
        if (many->variant)
            verdict[i] = (int8_t)add_item(change, items[i], many->variant, &many->why);
        else if (!items_per_item(status))
            verdict[i] = (int8_t)status;
        else
            verdict[i] = verdict[i] < 0 ? verdict[i] : 1;
    return count;
}

static void reply_of_many(const struct many *many, int verdict)
{
    reply_added(many->ctx, verdict, many->variant);
}

/* Items are those from `first` on. */
static int add(const struct asking *asking, int first, int how)
{
    static const struct many_work work = {1, "cf.add", add_slice, reply_of_many};
    RedisModuleKey *key = RedisModule_OpenKey(asking->ctx, asking->argv[1], WRITING);
    struct many many = {.work = &work, .ctx = asking->ctx, .name = asking->argv[1], .items = asking->argv + first};
    many.count = (size_t)(asking->argc - first);
    many.variant = how;
    many.value = open_to_change(asking, key);
    if (many.value)
        many_run(&many);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

static int add_one(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, int how, RedisModuleCmdFunc command)
{
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    const struct cf_request request = default_request();
    const struct asking asking = {ctx, argv, argc, FAMILY_CF, plan, &request, command};
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], WRITING);
    struct change change = {ctx, argv[1], open_to_change(&asking, key), 0};
    if (change.value) {
        uf_error why;
        reply_added(ctx, add_item(&change, argv[2], how, &why), how | ONE);
        items_tell(&change, "cf.add");
    }
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

int command_cf_add(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return add_one(ctx, argv, argc, 0, command_cf_add);
}

int command_cf_addnx(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return add_one(ctx, argv, argc, UNLESS_THERE, command_cf_addnx);
}

struct insert {
    struct cf_request request;
    int creates;
};

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

static int insert_items(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, int how, RedisModuleCmdFunc command)
{
    struct insert insert = {default_request(), 1};
    const char *wrong = NULL;
    int first = argc < 4 ? 0 : read_insert(argv, argc, &insert, &wrong);
    if (!first)
        return RedisModule_WrongArity(ctx);
    if (first < 0)
        return RedisModule_ReplyWithError(ctx, wrong);
    const struct asking asking = {ctx, argv, argc, FAMILY_CF, insert.creates ? plan : NULL, &insert.request, command};
    return add(&asking, first, how);
}

int command_cf_insert(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return insert_items(ctx, argv, argc, 0, command_cf_insert);
}

int command_cf_insertnx(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return insert_items(ctx, argv, argc, UNLESS_THERE, command_cf_insertnx);
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
    struct change change = {ctx, argv[1], value, 0};
    uf_error why = {0, 0, ""};
    uint8_t removed = 0;
    int status = items_remove(&change, argv + 2, 1, &removed, &why);
    if (status != UF_OK)
        return reply_why(ctx, &why);
    items_tell(&change, "cf.del");
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
