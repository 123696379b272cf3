/* SPDX-License-Identifier: MIT */
#include "standin.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sessions.h"
#include "type.h"
#include "value.h"

static void *standin_calloc(size_t count, size_t bytes)
{
    return calloc(count, bytes);
}

static void save_string(RedisModuleIO *io, const char *data, size_t bytes)
{
    uint32_t length = (uint32_t)bytes;
    io->bytes = realloc(io->bytes, io->count + sizeof length + bytes);
    memcpy(io->bytes + io->count, &length, sizeof length);
    memcpy(io->bytes + io->count + sizeof length, data, bytes);
    io->count += sizeof length + bytes;
}

/* As Redis does it, once errors are handled: a mark on the stream, and NULL. */
static char *load_string(RedisModuleIO *io, size_t *bytes)
{
    uint32_t length = 0;
    if (io->count - io->at < sizeof length || io->failed) {
        io->failed = 1;
        return NULL;
    }
    memcpy(&length, io->bytes + io->at, sizeof length);
    if (length > io->count - io->at - sizeof length) {
        io->failed = 1;
        return NULL;
    }
    char *copy = malloc(length ? length : 1);
    memcpy(copy, io->bytes + io->at + sizeof length, length);
    io->at += sizeof length + length;
    *bytes = length;
    return copy;
}

static int is_failed(RedisModuleIO *io)
{
    return io->failed;
}

static void log_nothing(RedisModuleIO *io, const char *level, const char *format, ...)
{
    (void)io, (void)level, (void)format;
}

static size_t size_of(void *memory)
{
    return malloc_usable_size(memory);
}

/* ---- the key ---- */

void *standin_value;

static RedisModuleKey *open_key(RedisModuleCtx *ctx, RedisModuleString *name, int mode)
{
    static char key;
    (void)ctx, (void)name, (void)mode;
    return (RedisModuleKey *)(void *)&key;
}

static void close_key(RedisModuleKey *key)
{
    (void)key;
}

static int key_type(RedisModuleKey *key)
{
    (void)key;
    return standin_value ? REDISMODULE_KEYTYPE_MODULE : REDISMODULE_KEYTYPE_EMPTY;
}

static RedisModuleType *get_type(RedisModuleKey *key)
{
    (void)key;
    return standin_value ? filter_type : NULL;
}

static void *get_value(RedisModuleKey *key)
{
    (void)key;
    return standin_value;
}

void standin_flush(void)
{
    value_release(standin_value);
    standin_value = NULL;
}

static int set_value(RedisModuleKey *key, RedisModuleType *type, void *value)
{
    (void)key, (void)type;
    standin_flush();
    standin_value = value;
    return REDISMODULE_OK;
}

/* ---- arguments: a copy where Redis would count references ---- */

RedisModuleString standin_bytes(const void *data, size_t bytes)
{
    return (RedisModuleString){data, bytes};
}

RedisModuleString standin_text(const char *text)
{
    return standin_bytes(text, strlen(text));
}

static RedisModuleString *copy_string(RedisModuleCtx *ctx, const RedisModuleString *from)
{
    (void)ctx;
    RedisModuleString *copy = malloc(sizeof *copy);
    char *data = malloc(from->size + 1);
    memcpy(data, from->data, from->size);
    *copy = (RedisModuleString){data, from->size};
    return copy;
}

static RedisModuleString *hold_string(RedisModuleCtx *ctx, RedisModuleString *string)
{
    return copy_string(ctx, string);
}

static void free_string(RedisModuleCtx *ctx, RedisModuleString *string)
{
    (void)ctx;
    free((void *)(uintptr_t)string->data);
    free(string);
}

static const char *string_bytes(const RedisModuleString *string, size_t *bytes)
{
    *bytes = string->size;
    return string->data;
}

static int string_number(const RedisModuleString *string, long long *out)
{
    char text[32];
    int end = 0;
    (void)snprintf(text, sizeof text, "%.*s", (int)(string->size < 31 ? string->size : 31), string->data);
    return sscanf(text, "%lld%n", out, &end) == 1 && !text[end] ? REDISMODULE_OK : REDISMODULE_ERR;
}

static int compare_strings(RedisModuleString *a, RedisModuleString *b)
{
    return a->size != b->size || memcmp(a->data, b->data, a->size);
}

/* ---- replies ---- */

enum standin_reply standin_replied;

static int reply_error(RedisModuleCtx *ctx, const char *text)
{
    (void)ctx, (void)text;
    standin_replied = REPLY_ERROR;
    return REDISMODULE_OK;
}

static int reply_text(RedisModuleCtx *ctx, const char *text)
{
    (void)ctx, (void)text;
    standin_replied = REPLY_OK;
    return REDISMODULE_OK;
}

static int reply_number(RedisModuleCtx *ctx, long long number)
{
    (void)ctx, (void)number;
    standin_replied = REPLY_NUMBER;
    return REDISMODULE_OK;
}

static int wrong_arity(RedisModuleCtx *ctx)
{
    return reply_error(ctx, "");
}

/* ---- calls ---- */

int standin_call(int (*command)(RedisModuleCtx *, RedisModuleString **, int), long long number, const void *data,
                 size_t bytes)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%lld", number);
    RedisModuleString words[] = {standin_text("command"), standin_text("key"), standin_text(text),
                                 standin_bytes(data, bytes)};
    RedisModuleString *argv[] = {&words[0], &words[1], &words[2], &words[3]};
    standin_replied = REPLY_NONE;
    (void)command(NULL, argv, 4);
    return standin_replied != REPLY_ERROR;
}

void standin_forget(void)
{
    RedisModuleString name = standin_text("key");
    struct session *session = session_find(NULL, SESSION_LOAD, &name);
    if (session)
        session_end(session);
}

/* ---- surroundings: a script's, so that nothing waits for a thread ---- */

static int flags(RedisModuleCtx *ctx)
{
    (void)ctx;
    return REDISMODULE_CTX_FLAGS_LUA;
}

static int database(RedisModuleCtx *ctx)
{
    (void)ctx;
    return 0;
}

static long long milliseconds(void)
{
    return 0;
}

static int replicate(RedisModuleCtx *ctx, const char *name, const char *format, ...)
{
    (void)ctx, (void)name, (void)format;
    return REDISMODULE_OK;
}

static int notify(RedisModuleCtx *ctx, int type, const char *event, RedisModuleString *key)
{
    (void)ctx, (void)type, (void)event, (void)key;
    return REDISMODULE_OK;
}

static int signal_modified(RedisModuleCtx *ctx, RedisModuleString *key)
{
    (void)ctx, (void)key;
    return REDISMODULE_OK;
}

void standin_start(void)
{
    static char type;
    filter_type = (RedisModuleType *)(void *)&type;
    RedisModule_Alloc = malloc;
    RedisModule_TryAlloc = malloc;
    RedisModule_Calloc = standin_calloc;
    RedisModule_Realloc = realloc;
    RedisModule_Free = free;
    RedisModule_MallocSize = size_of;
    RedisModule_SaveStringBuffer = save_string;
    RedisModule_LoadStringBuffer = load_string;
    RedisModule_IsIOError = is_failed;
    RedisModule_LogIOError = log_nothing;
    RedisModule_OpenKey = open_key;
    RedisModule_CloseKey = close_key;
    RedisModule_KeyType = key_type;
    RedisModule_ModuleTypeGetType = get_type;
    RedisModule_ModuleTypeGetValue = get_value;
    RedisModule_ModuleTypeSetValue = set_value;
    RedisModule_HoldString = hold_string;
    RedisModule_CreateStringFromString = copy_string;
    RedisModule_FreeString = free_string;
    RedisModule_StringPtrLen = string_bytes;
    RedisModule_StringToLongLong = string_number;
    RedisModule_StringCompare = compare_strings;
    RedisModule_ReplyWithError = reply_error;
    RedisModule_ReplyWithSimpleString = reply_text;
    RedisModule_ReplyWithLongLong = reply_number;
    RedisModule_WrongArity = wrong_arity;
    RedisModule_GetContextFlags = flags;
    RedisModule_GetSelectedDb = database;
    RedisModule_Milliseconds = milliseconds;
    RedisModule_Replicate = replicate;
    RedisModule_NotifyKeyspaceEvent = notify;
    RedisModule_SignalModifiedKey = signal_modified;
}

void standin_free(struct RedisModuleIO *io)
{
    free(io->bytes);
    *io = (struct RedisModuleIO){.bytes = NULL};
}
