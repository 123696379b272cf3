/* SPDX-License-Identifier: MIT */
#include "standin.h"

#include <stdlib.h>
#include <string.h>

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

void standin_start(void)
{
    RedisModule_Alloc = malloc;
    RedisModule_TryAlloc = malloc;
    RedisModule_Calloc = standin_calloc;
    RedisModule_Realloc = realloc;
    RedisModule_Free = free;
    RedisModule_SaveStringBuffer = save_string;
    RedisModule_LoadStringBuffer = load_string;
    RedisModule_IsIOError = is_failed;
    RedisModule_LogIOError = log_nothing;
}

void standin_free(struct RedisModuleIO *io)
{
    free(io->bytes);
    *io = (struct RedisModuleIO){.bytes = NULL};
}
