/* SPDX-License-Identifier: MIT */
/* Errors of the library as errors of Redis, and arguments that are read. */
#ifndef UFR_REPLY_H
#define UFR_REPLY_H

#include "host.h"

/* The sentence, behind a code that clients can tell apart: FULL, LOCKED, OOM, TRYAGAIN or ERR. */
int reply_why(RedisModuleCtx *ctx, const uf_error *why);

/* A sentence of our own. Returns the status. */
int reply_set(uf_error *why, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

int reply_is_resp3(RedisModuleCtx *ctx);

/* 1 when the argument is this word, in any case. */
int argument_is(const RedisModuleString *argument, const char *word);

/* The bytes of an argument. */
uf_key argument_key(const RedisModuleString *argument);

/* As text that ends in a NUL: UF_EINVAL when it is longer, or has one inside. */
int argument_text(const RedisModuleString *argument, char *out, size_t capacity, const char *what, uf_error *why);

#endif
