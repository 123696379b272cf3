/* SPDX-License-Identifier: MIT */
#include "sessions.h"

#include <string.h>

#include "image.h"

enum { IDLE_MS = 60000 };

static struct session sessions[SESSION_KINDS][SESSIONS];

void session_end(struct session *session)
{
    if (session->name)
        RedisModule_FreeString(NULL, session->name);
    RedisModule_Free(session->bytes);
    image_free(session->image);
    *session = (struct session){.name = NULL};
}

struct session *session_find(RedisModuleCtx *ctx, enum session_kind kind, RedisModuleString *name)
{
    long long now = RedisModule_Milliseconds();
    int database = RedisModule_GetSelectedDb(ctx);
    struct session *found = NULL;
    for (int i = 0; i < SESSIONS; i++) {
        struct session *session = &sessions[kind][i];
        if (session->name && now - session->used > IDLE_MS)
            session_end(session);
        if (session->name && session->database == database && !RedisModule_StringCompare(session->name, name))
            found = session;
    }
    if (found)
        found->used = now;
    return found;
}

struct session *session_begin(RedisModuleCtx *ctx, enum session_kind kind, RedisModuleString *name)
{
    struct session *session = session_find(ctx, kind, name);
    for (int i = 0; !session && i < SESSIONS; i++)
        if (!sessions[kind][i].name)
            session = &sessions[kind][i];
    if (!session)
        session = &sessions[kind][0];
    for (int i = 0; session->name && i < SESSIONS; i++)
        if (sessions[kind][i].used < session->used && session->name)
            session = &sessions[kind][i];
    session_end(session);
    session->database = RedisModule_GetSelectedDb(ctx);
    session->name = RedisModule_CreateStringFromString(NULL, name);
    session->used = RedisModule_Milliseconds();
    return session;
}
