/* SPDX-License-Identifier: MIT */
#include "bf.h"

#include <ctype.h>

#include "create.h"
#include "many.h"
#include "open.h"
#include "query.h"
#include "reply.h"
#include "settings.h"

static const long long EXPANSION = 2;

static struct bf_request default_request(void)
{
    return (struct bf_request){settings.error_rate, settings.initial_size, EXPANSION, 0};
}

/* ---- BF.RESERVE key error_rate capacity [EXPANSION expansion] [NONSCALING] ---- */

static int find_word(RedisModuleString **argv, int argc, const char *word)
{
    for (int i = 0; i < argc; i++)
        if (argument_is(argv[i], word))
            return i;
    return -1;
}

/* What is wrong with the arguments, in RedisBloom's words; NULL: nothing. */
static const char *read_reserve(RedisModuleString **argv, int argc, struct bf_request *out)
{
    int at = find_word(argv, argc, "EXPANSION");
    out->non_scaling = find_word(argv, argc, "NONSCALING") >= 0;
    if (RedisModule_StringToDouble(argv[2], &out->error_rate) != REDISMODULE_OK)
        return "ERR bad error rate";
    if (!(out->error_rate > 0 && out->error_rate < 1))
        return "ERR (0 < error rate range < 1) ";
    if (RedisModule_StringToLongLong(argv[3], &out->capacity) != REDISMODULE_OK)
        return "ERR bad capacity";
    if (out->capacity <= 0)
        return "ERR (capacity should be larger than 0)";
    if (at >= 0 && at + 1 == argc)
        return "ERR no expansion";
    if (at >= 0 && out->non_scaling)
        return "Nonscaling filters cannot expand";
    if (at >= 0 && RedisModule_StringToLongLong(argv[at + 1], &out->expansion) != REDISMODULE_OK)
        return "ERR bad expansion";
    if (out->expansion < 0)
        return "ERR bad expansion";
    return NULL;
}

static int plan(const void *asked, struct reservation *out, uf_error *why)
{
    const struct bf_request *request = asked;
    out->figures[FIGURE_FAMILY] = FAMILY_BF;
    out->figures[FIGURE_CAPACITY] = (uint64_t)request->capacity;
    out->figures[FIGURE_EXPANSION] = request->non_scaling ? 0 : (uint64_t)request->expansion;
    out->event = "bf.reserve";
    return create_bf_spec(request, &out->spec, why);
}

int command_bf_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct bf_request request = default_request();
    struct reservation want = {.event = NULL};
    uf_error why = {0, 0, ""};
    if (argc < 4 || argc > 7)
        return RedisModule_WrongArity(ctx);
    const char *wrong = read_reserve(argv, argc, &request);
    if (wrong)
        return RedisModule_ReplyWithError(ctx, wrong);
    return plan(&request, &want, &why) == UF_OK ? reserve(ctx, argv, argc, &want) : reply_why(ctx, &why);
}

/* ---- BF.ADD, BF.MADD, BF.INSERT ---- */

static int reply_verdict(RedisModuleCtx *ctx, int verdict, const uf_error *why)
{
    if (verdict == UF_EFULL)
        return RedisModule_ReplyWithError(ctx, "ERR non scaling filter is full");
    if (verdict < 0)
        return reply_why(ctx, why);
    return RedisModule_ReplyWithBool(ctx, verdict);
}

static int add_one(struct change *change, RedisModuleString *item)
{
    uf_error why; /* the library clears it: half a KB need not be cleared here */
    int8_t verdict;
    int status = items_add(change, &item, 1, &verdict, &why);
    return reply_verdict(change->ctx, status < 0 ? status : verdict, &why);
}

/* Up to the first item that is refused; RedisBloom adds none behind it. */
static size_t add_slice(struct many *many, struct change *change, RedisModuleString **items, size_t count,
                        int8_t *verdict)
{
    int status = items_add(change, items, count, verdict, &many->why);
    if (!items_per_item(status))
        verdict[0] = (int8_t)status;
    for (size_t i = 0; status != UF_OK && i < count; i++)
        if (verdict[i] < 0)
            return i + 1;
    return count;
}

static void reply_added(const struct many *many, int verdict)
{
    (void)reply_verdict(many->ctx, verdict, &many->why);
}

static struct asking asking_of(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                               const struct bf_request *request, RedisModuleCmdFunc command)
{
    return (struct asking){ctx, argv, argc, FAMILY_BF, request ? plan : NULL, request, command};
}

/* Items are those from `first` on. */
static int add(const struct asking *asking, int first)
{
    static const struct many_work work = {1, "bf.add", add_slice, reply_added};
    RedisModuleKey *key = RedisModule_OpenKey(asking->ctx, asking->argv[1], WRITING);
    struct many many = {.work = &work, .ctx = asking->ctx, .name = asking->argv[1], .items = asking->argv + first};
    many.count = (size_t)(asking->argc - first);
    many.value = open_to_change(asking, key);
    if (many.value)
        many_run(&many);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

int command_bf_add(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    const struct bf_request request = default_request();
    const struct asking asking = asking_of(ctx, argv, argc, &request, command_bf_add);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], WRITING);
    struct change change = {ctx, argv[1], open_to_change(&asking, key), 0};
    if (change.value) {
        (void)add_one(&change, argv[2]);
        items_tell(&change, "bf.add");
    }
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

int command_bf_madd(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct bf_request request = default_request();
    const struct asking asking = asking_of(ctx, argv, argc, &request, command_bf_madd);
    return argc >= 3 ? add(&asking, 2) : RedisModule_WrongArity(ctx);
}

/* BF.INSERT's options go by their first letters, as RedisBloom reads them. */
struct insert {
    struct bf_request request;
    int creates, items; /* items: index of the first, 0 before it was found */
};

/* 1 and *wrong NULL: a number is missing, which is a wrong arity. */
static int read_option(RedisModuleString **argv, int argc, int *at, struct insert *out, const char **wrong)
{
    uf_key word = argument_key(argv[*at]);
    const char *text = word.data;
    int first = word.size ? tolower((unsigned char)text[0]) : 0;
    int second = word.size > 1 ? tolower((unsigned char)text[1]) : 0,
        third = word.size > 2 ? tolower((unsigned char)text[2]) : 0;
    *wrong = NULL;
    if (first == 'i') {
        out->items = *at += 1;
        return 0;
    }
    if (first == 'n') {
        if (third == 'c')
            out->creates = 0;
        else
            out->request.non_scaling = 1;
        *at += 1;
        return 0;
    }
    if (first != 'e' && first != 'c') {
        *wrong = "Unknown argument received";
        return 1;
    }
    if (*at + 1 == argc)
        return 1;
    RedisModuleString *number = argv[*at + 1];
    *at += 2;
    if (first == 'c')
        *wrong = RedisModule_StringToLongLong(number, &out->request.capacity) ? "Bad capacity" : NULL;
    else if (second == 'r')
        *wrong = RedisModule_StringToDouble(number, &out->request.error_rate) ? "Bad error rate" : NULL;
    else
        *wrong = RedisModule_StringToLongLong(number, &out->request.expansion) ? "Bad expansion" : NULL;
    return *wrong != NULL;
}

int command_bf_insert(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct insert insert = {default_request(), 1, 0};
    const struct bf_request *request = &insert.request;
    const char *wrong = NULL;
    if (argc < 4)
        return RedisModule_WrongArity(ctx);
    for (int at = 2; at < argc && !insert.items;)
        if (read_option(argv, argc, &at, &insert, &wrong))
            return wrong ? RedisModule_ReplyWithError(ctx, wrong) : RedisModule_WrongArity(ctx);
    if (!insert.items || insert.items == argc)
        return RedisModule_WrongArity(ctx);
    if (!(request->error_rate > 0 && request->error_rate < 1) || request->capacity < 1 || request->expansion < 1)
        return RedisModule_ReplyWithError(ctx, "Bad argument received");
    const struct asking asking = asking_of(ctx, argv, argc, insert.creates ? request : NULL, command_bf_insert);
    return add(&asking, insert.items);
}

/* ---- asking ---- */

int command_bf_exists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return query_one(ctx, argv, argc, FAMILY_BF);
}

int command_bf_mexists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return query_many(ctx, argv, argc, FAMILY_BF);
}

/* ---- BF.INFO key [field], BF.CARD key ---- */

enum { BF_FIELDS = 5 };

static const struct {
    const char *name, *word;
} fields[BF_FIELDS] = {
    {"Capacity", "CAPACITY"},         {"Size", "SIZE"},
    {"Number of filters", "FILTERS"}, {"Number of items inserted", "ITEMS"},
    {"Expansion rate", "EXPANSION"},
};

static void reply_field(RedisModuleCtx *ctx, const struct value *value, int field)
{
    const uint64_t figures[BF_FIELDS] = {value_capacity(value), value_memory(value), value_filters(value),
                                         value->figures[FIGURE_ITEMS], value->figures[FIGURE_EXPANSION]};
    if (field == BF_FIELDS - 1 && !figures[field])
        (void)RedisModule_ReplyWithNull(ctx);
    else
        (void)RedisModule_ReplyWithLongLong(ctx, (long long)figures[field]);
}

static int reply_one_field(RedisModuleCtx *ctx, const struct value *value, const RedisModuleString *word)
{
    int field = 0;
    while (field < BF_FIELDS && !argument_is(word, fields[field].word))
        field++;
    if (field == BF_FIELDS)
        return RedisModule_ReplyWithError(ctx, "Invalid information value");
    if (reply_is_resp3(ctx)) {
        (void)RedisModule_ReplyWithMap(ctx, 1);
        (void)RedisModule_ReplyWithSimpleString(ctx, fields[field].name);
    } else {
        (void)RedisModule_ReplyWithArray(ctx, 1);
    }
    reply_field(ctx, value, field);
    return REDISMODULE_OK;
}

static int reply_all_fields(RedisModuleCtx *ctx, const struct value *value)
{
    (void)RedisModule_ReplyWithMap(ctx, BF_FIELDS);
    for (int i = 0; i < BF_FIELDS; i++) {
        (void)RedisModule_ReplyWithSimpleString(ctx, fields[i].name);
        reply_field(ctx, value, i);
    }
    return REDISMODULE_OK;
}

int command_bf_info(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct value *value = NULL;
    if (argc != 2 && argc != 3)
        return RedisModule_WrongArity(ctx);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ);
    enum found found = open_value(key, FAMILY_BF, &value);
    if (found != FOUND)
        (void)open_refuse(ctx, found);
    else if (argc == 3)
        (void)reply_one_field(ctx, value, argv[2]);
    else
        (void)reply_all_fields(ctx, value);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

int command_bf_card(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct value *value = NULL;
    if (argc != 2)
        return RedisModule_WrongArity(ctx);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ);
    enum found found = open_value(key, FAMILY_BF, &value);
    if (found == OTHER_TYPE)
        (void)open_refuse(ctx, found);
    else
        (void)RedisModule_ReplyWithLongLong(ctx, found == FOUND ? (long long)value->figures[FIGURE_ITEMS] : 0);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}
