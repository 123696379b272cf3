/* SPDX-License-Identifier: MIT */
#include "reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *code_of(int status)
{
    switch (status) {
    case UF_EFULL:
        return "FULL";
    case UF_EKEY:
        return "LOCKED";
    case UF_ENOMEM:
        return "OOM";
    case UF_EBUDGET:
        return "BUDGET";
    default:
        return "ERR";
    }
}

/* Messages name what they are about, which may be any bytes of a client's. */
static void show_plainly(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

int reply_why(RedisModuleCtx *ctx, const uf_error *why)
{
    char text[sizeof why->text + 16];
    const char *words = why->text[0] ? why->text : uf_status_text(why->status);
    (void)snprintf(text, sizeof text, "%s %s", code_of(why->status), words);
    show_plainly(text);
    return RedisModule_ReplyWithError(ctx, text);
}

int reply_set(uf_error *why, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    why->status = status;
    why->reason = 0;
    (void)vsnprintf(why->text, sizeof why->text, format, args);
    va_end(args);
    return status;
}

int reply_is_resp3(RedisModuleCtx *ctx)
{
    return (RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_RESP3) != 0;
}

int argument_is(const RedisModuleString *argument, const char *word)
{
    size_t bytes;
    const char *text = RedisModule_StringPtrLen(argument, &bytes);
    return bytes == strlen(word) && !strncasecmp(text, word, bytes);
}

uf_key argument_key(const RedisModuleString *argument)
{
    uf_key key;
    key.data = RedisModule_StringPtrLen(argument, &key.size);
    return key;
}

int argument_text(const RedisModuleString *argument, char *out, size_t capacity, const char *what, uf_error *why)
{
    uf_key key = argument_key(argument);
    if (key.size >= capacity || memchr(key.data, 0, key.size))
        return reply_set(why, UF_EINVAL, "%s is too long, or has a NUL inside: %zu bytes at most", what, capacity - 1);
    memcpy(out, key.data, key.size);
    out[key.size] = '\0';
    return UF_OK;
}
