/* SPDX-License-Identifier: MIT */
#include "replicate.h"

#include <string.h>

#include "image.h"
#include "items.h"
#include "listeners.h"
#include "reply.h"
#include "type.h"

/* ---- sending ---- */

/* Pieces in memory, each behind its length. */
struct record {
    unsigned char *bytes;
    size_t count, capacity;
};

static void record_piece(struct record *record, const unsigned char *piece, size_t bytes)
{
    size_t need = record->count + sizeof bytes + bytes;
    if (need > record->capacity) {
        record->capacity = need + need / 2;
        record->bytes = RedisModule_Realloc(record->bytes, record->capacity);
    }
    memcpy(record->bytes + record->count, &bytes, sizeof bytes);
    memcpy(record->bytes + record->count + sizeof bytes, piece, bytes);
    record->count = need;
}

/* Where pieces go: a command's context, a rewrite, or a record. */
struct target {
    RedisModuleCtx *ctx;
    RedisModuleIO *aof;
    struct record *record;
    RedisModuleString *key;
};

struct channel {
    struct target to;
    uint64_t zeros; /* that were not sent yet */
    char first;     /* what the first piece begins with */
    int started;
    unsigned char piece[1 + PIECE];
};

static void send_piece(struct channel *channel, size_t bytes)
{
    const struct target *to = &channel->to;
    const char *piece = (const char *)channel->piece;
    if (to->record)
        record_piece(to->record, channel->piece, bytes);
    else if (to->aof)
        RedisModule_EmitAOF(to->aof, "UF.PUT", "sb", to->key, piece, bytes);
    else
        (void)RedisModule_Replicate(to->ctx, "UF.PUT", "sb", to->key, piece, bytes);
}

static void send_zeros(struct channel *channel)
{
    if (!channel->zeros)
        return;
    channel->piece[0] = 'z';
    for (int i = 0; i < 8; i++)
        channel->piece[1 + i] = (unsigned char)(channel->zeros >> 8 * i);
    channel->zeros = 0;
    send_piece(channel, 9);
}

static void send_literal(struct channel *channel, const unsigned char *data, size_t bytes)
{
    if (!bytes)
        return;
    send_zeros(channel);
    channel->piece[0] = (unsigned char)(channel->started ? 'b' : channel->first);
    memcpy(channel->piece + 1, data, bytes);
    send_piece(channel, 1 + bytes);
}

/* Empty filters, and most of a header, are zeros: blocks of them are counted and not sent. */
enum { ZERO_BLOCK = 512 };

static int is_zero(const unsigned char *block, size_t bytes)
{
    return !block[0] && !memcmp(block, block + 1, bytes - 1);
}

static int send(void *arg, const void *data, size_t bytes)
{
    struct channel *channel = arg;
    const unsigned char *at = data;
    size_t from = 0; /* where the literal began that is not sent yet */
    for (size_t done = 0, step; channel->started && done < bytes; done += step) {
        step = bytes - done < ZERO_BLOCK ? bytes - done : ZERO_BLOCK;
        if (!is_zero(at + done, step))
            continue;
        send_literal(channel, at + from, done - from);
        channel->zeros += step;
        from = done + step;
    }
    send_literal(channel, at + from, bytes - from);
    channel->started = 1;
    return 0;
}

static void send_as(struct target to, const struct value *value, char first)
{
    struct channel *channel = RedisModule_Alloc(sizeof *channel);
    channel->to = to;
    channel->zeros = 0;
    channel->started = 0;
    channel->first = first;
    (void)image_write(value, send, channel, NULL);
    send_zeros(channel);
    RedisModule_Free(channel);
}

static void send_value(struct target to, const struct value *value)
{
    send_as(to, value, 'n');
}

void replicate_value(RedisModuleCtx *ctx, RedisModuleString *key, const struct value *value)
{
    if (listeners_want(ctx))
        send_value((struct target){.ctx = ctx, .key = key}, value);
}

void replicate_level(RedisModuleCtx *ctx, RedisModuleString *key, const struct value *value)
{
    struct value last = {.filter = {value_last(value)}, .levels = 1};
    memcpy(last.figures, value->figures, sizeof last.figures);
    send_as((struct target){.ctx = ctx, .key = key}, &last, 'm');
}

void replicate_rewrite(RedisModuleIO *aof, RedisModuleString *key, void *value)
{
    send_value((struct target){.aof = aof, .key = key}, value);
}

struct record *record_make(const struct value *value)
{
    struct record *record = RedisModule_Calloc(1, sizeof *record);
    send_value((struct target){.record = record}, value);
    return record;
}

void replicate_record(RedisModuleCtx *ctx, RedisModuleString *key, const struct record *record)
{
    for (size_t at = 0, bytes; at < record->count; at += sizeof bytes + bytes) {
        memcpy(&bytes, record->bytes + at, sizeof bytes);
        (void)RedisModule_Replicate(ctx, "UF.PUT", "sb", key, (char *)record->bytes + at + sizeof bytes, bytes);
    }
}

void record_free(struct record *record)
{
    if (!record)
        return;
    RedisModule_Free(record->bytes);
    RedisModule_Free(record);
}

void replicate_digests(RedisModuleCtx *ctx, RedisModuleString *key, const uf_digest *digests, size_t count)
{
    (void)RedisModule_Replicate(ctx, "UF.APPLY", "sb", key, (const char *)digests, count * sizeof *digests);
}

void replicate_removed(RedisModuleCtx *ctx, RedisModuleString *key, const uf_digest *digests, size_t count)
{
    if (listeners_want(ctx))
        (void)RedisModule_Replicate(ctx, "UF.UNAPPLY", "sb", key, (const char *)digests, count * sizeof *digests);
}

/* ---- receiving ---- */

static int from_ourselves(RedisModuleCtx *ctx)
{
    return RedisModule_GetContextFlags(ctx) & (REDISMODULE_CTX_FLAGS_REPLICATED | REDISMODULE_CTX_FLAGS_LOADING);
}

static int refuse_client(RedisModuleCtx *ctx)
{
    return RedisModule_ReplyWithError(ctx,
                                      "ERR this command is for replicas and append-only files: use UF.LOAD or UF.ADD");
}

/* The value that digests are for, open for writing. */
static struct value *open_digests(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, RedisModuleKey **key,
                                  const uf_digest **digests, size_t *count)
{
    struct value *value;
    size_t bytes;
    *key = NULL;
    if (argc != 3) {
        (void)RedisModule_WrongArity(ctx);
        return NULL;
    }
    if (!from_ourselves(ctx)) {
        (void)refuse_client(ctx);
        return NULL;
    }
    *digests = (const uf_digest *)(const void *)RedisModule_StringPtrLen(argv[2], &bytes);
    *count = bytes / sizeof **digests;
    *key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ | REDISMODULE_WRITE);
    if (type_of(*key, &value) == FOUND)
        return value;
    RedisModule_CloseKey(*key);
    (void)RedisModule_ReplyWithError(ctx, "ERR not found");
    return NULL;
}

static int apply(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, int removes)
{
    const uf_digest *digests;
    RedisModuleKey *key;
    uf_error why = {0, 0, ""};
    size_t count;
    struct value *value = open_digests(ctx, argv, argc, &key, &digests, &count);
    if (!value)
        return REDISMODULE_OK;
    int status = removes ? items_unapply(value, digests, count, &why) : items_apply(value, digests, count, &why);
    RedisModule_CloseKey(key);
    (void)RedisModule_SignalModifiedKey(ctx, argv[1]);
    (void)RedisModule_ReplicateVerbatim(ctx);
    return status == UF_OK ? RedisModule_ReplyWithSimpleString(ctx, "OK") : reply_why(ctx, &why);
}

int command_apply(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return apply(ctx, argv, argc, 0);
}

int command_unapply(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return apply(ctx, argv, argc, 1);
}

/* The value that comes in: its pieces are next to each other in every stream. */
static struct image *incoming;
static int incoming_is_level;

/* The value under a key, or NULL. */
static struct value *value_there(RedisModuleCtx *ctx, RedisModuleString *name)
{
    struct value *value = NULL;
    RedisModuleKey *key = RedisModule_OpenKey(ctx, name, REDISMODULE_READ | REDISMODULE_WRITE);
    (void)type_of(key, &value);
    RedisModule_CloseKey(key);
    return value;
}

static int feed_zeros(const unsigned char *number, size_t bytes, uf_error *why)
{
    static const unsigned char zeros[1 << 16];
    uint64_t count = 0;
    int status = UF_OK;
    for (size_t i = 0; i < bytes; i++)
        count |= (uint64_t)number[i] << 8 * i;
    for (uint64_t step; status == UF_OK && count; count -= step) {
        step = count < sizeof zeros ? count : sizeof zeros;
        status = image_feed(incoming, zeros, (size_t)step, why);
    }
    return status;
}

static int start_incoming(RedisModuleCtx *ctx, RedisModuleString *name, int is_level, uf_error *why)
{
    struct value *there = is_level ? value_there(ctx, name) : NULL;
    image_free(incoming);
    incoming = NULL;
    incoming_is_level = is_level;
    if (is_level && !there)
        return reply_set(why, UF_EFORMAT, "there is no value for this filter to be added to");
    incoming = is_level ? image_beside(there) : image_new();
    return UF_OK;
}

static int feed_piece(RedisModuleCtx *ctx, RedisModuleString *name, const unsigned char *piece, size_t bytes,
                      uf_error *why)
{
    if (bytes && (*piece == 'n' || *piece == 'm')) {
        int status = start_incoming(ctx, name, *piece == 'm', why);
        return status == UF_OK ? image_feed(incoming, piece + 1, bytes - 1, why) : status;
    }
    if (!incoming || !bytes || (*piece != 'b' && *piece != 'z') || (*piece == 'z' && bytes != 9))
        return reply_set(why, UF_EFORMAT, "this piece has no beginning, or is none that this module wrote");
    return *piece == 'z' ? feed_zeros(piece + 1, bytes - 1, why) : image_feed(incoming, piece + 1, bytes - 1, why);
}

static int add_level(RedisModuleCtx *ctx, RedisModuleString *name, struct value *level, uf_error *why)
{
    struct value *there = value_there(ctx, name);
    if (there && value_take_level(there, level) == UF_OK)
        return UF_OK; /* the items that it is for come next, and tell those who watch */
    return reply_set(why, UF_EFORMAT,
                     "the value that this filter was to be added to is not there any more, or is full");
}

static void set_value(RedisModuleCtx *ctx, RedisModuleString *name, struct value *value)
{
    RedisModuleKey *key = RedisModule_OpenKey(ctx, name, REDISMODULE_READ | REDISMODULE_WRITE);
    (void)RedisModule_ModuleTypeSetValue(key, filter_type, value);
    (void)RedisModule_SignalModifiedKey(ctx, name);
    RedisModule_CloseKey(key);
}

static int put_in_place(RedisModuleCtx *ctx, RedisModuleString *name, uf_error *why)
{
    struct value *value;
    int status = image_finish(incoming, &value, why);
    if (status != UF_OK)
        return status;
    if (!incoming_is_level) {
        set_value(ctx, name, value);
        return UF_OK;
    }
    status = add_level(ctx, name, value, why);
    value_release(value);
    return status;
}

int command_put(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    uf_error why = {0, 0, ""};
    size_t bytes;
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    if (!from_ourselves(ctx))
        return refuse_client(ctx);
    const unsigned char *piece = (const unsigned char *)RedisModule_StringPtrLen(argv[2], &bytes);
    int status = feed_piece(ctx, argv[1], piece, bytes, &why);
    int whole = status == UF_OK && image_complete(incoming);
    if (whole)
        status = put_in_place(ctx, argv[1], &why);
    if (status != UF_OK || whole) {
        image_free(incoming);
        incoming = NULL;
    }
    (void)RedisModule_ReplicateVerbatim(ctx);
    return status == UF_OK ? RedisModule_ReplyWithSimpleString(ctx, "OK") : reply_why(ctx, &why);
}
