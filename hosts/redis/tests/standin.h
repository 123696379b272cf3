/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for as much of Redis as loading needs, so that it runs under the sanitizers: memory is malloc's, an RDB
 * stream is a run of strings in memory, each behind 4 bytes of length, and there is one key, whatever its name.
 */
#ifndef UFR_STANDIN_H
#define UFR_STANDIN_H

#include "host.h"

struct RedisModuleIO {
    unsigned char *bytes; /* owned */
    size_t count, at;
    int failed;
};

struct RedisModuleString {
    const char *data;
    size_t size;
};

/* What the last command replied. */
enum standin_reply { REPLY_NONE, REPLY_OK, REPLY_NUMBER, REPLY_ERROR };
extern enum standin_reply standin_replied;

/* What is under the key, a struct value; owned. */
extern void *standin_value;

/* Sets the functions of the module's interface that there are. */
void standin_start(void);

/* Makes an argument, whose bytes are borrowed. */
RedisModuleString standin_bytes(const void *data, size_t bytes);
RedisModuleString standin_text(const char *text);

/* Calls a command about the key, with a number and bytes behind it. 0: it replied with an error. */
int standin_call(int (*command)(RedisModuleCtx *, RedisModuleString **, int), long long number, const void *data,
                 size_t bytes);

/* Ends what was begun to load and is not whole. */
void standin_forget(void);

/* Empties the key. */
void standin_flush(void);

void standin_free(struct RedisModuleIO *io);

#endif
