/* SPDX-License-Identifier: MIT */
/*
 * What a client has begun to dump or to load, by database and key. There are few, and one that nobody goes on with is
 * dropped after a minute, or when others need its place.
 */
#ifndef UFR_SESSIONS_H
#define UFR_SESSIONS_H

#include "host.h"

struct image;

struct session {
    int database;
    RedisModuleString *name; /* owned; NULL: it is free */
    long long used;          /* when, in milliseconds */
    unsigned char *bytes;    /* of a dump; owned */
    size_t count;
    struct image *image; /* of a load; owned */
};

enum { SESSIONS = 16 };

enum session_kind { SESSION_DUMP, SESSION_LOAD, SESSION_KINDS };

/* The session of a key, or NULL. */
struct session *session_find(RedisModuleCtx *ctx, enum session_kind kind, RedisModuleString *name);
/* A new one, in the place of that key's or of the oldest. */
struct session *session_begin(RedisModuleCtx *ctx, enum session_kind kind, RedisModuleString *name);
void session_end(struct session *session);

#endif
