/* SPDX-License-Identifier: MIT */
#include "call.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { EVERY_MS = 50 };

static uint64_t milliseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* A statement inside an interrupted one is interrupted, too, mostly before it is prepared; and one of some steps calls
 * the progress handler. */
int call_is_interrupted(sqlite3 *db)
{
    static const char steps[] =
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 200) SELECT count(*) FROM c";
    sqlite3_stmt *probe;
    int code = sqlite3_prepare_v2(db, steps, -1, &probe, NULL);
    if (code != SQLITE_OK)
        return code == SQLITE_INTERRUPT;
    code = sqlite3_step(probe);
    (void)sqlite3_finalize(probe);
    return code == SQLITE_INTERRUPT;
}

static int on_progress(void *arg, uint64_t done, uint64_t total)
{
    struct call *call = arg;
    uint64_t now = milliseconds();
    (void)done, (void)total;
    if (now - call->last < EVERY_MS)
        return 0;
    call->last = now;
    return call_is_interrupted(call->db);
}

void call_begin(struct call *call, const struct state *state)
{
    call->context = (uf_context)UF_CONTEXT_INIT;
    call->context.secret = state->secret;
    call->context.progress = on_progress;
    call->context.progress_arg = call;
    call->db = state->db;
    call->last = milliseconds();
}

int call_fail(uf_error *why, int status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(why->text, sizeof why->text, format, values);
    va_end(values);
    why->reason = 0;
    return why->status = status;
}

static int code_of(int status)
{
    switch (status) {
    case UF_EFORMAT:
    case UF_EVERSION:
        return SQLITE_FORMAT;
    case UF_EKEY:
        return SQLITE_AUTH;
    case UF_EIO:
        return SQLITE_IOERR;
    case UF_EBUDGET:
    case UF_EFULL:
        return SQLITE_CONSTRAINT;
    case UF_EMISMATCH:
        return SQLITE_MISMATCH;
    case UF_EREADONLY:
        return SQLITE_READONLY;
    default:
        return SQLITE_ERROR;
    }
}

void call_raise(sqlite3_context *ctx, const uf_error *why)
{
    if (why->status == UF_ENOMEM) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (why->status == UF_ECANCELED) {
        sqlite3_result_error(ctx, "interrupted", -1);
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
        return;
    }
    sqlite3_result_error(ctx, why->text[0] ? why->text : uf_status_text(why->status), -1);
    sqlite3_result_error_code(ctx, code_of(why->status));
}

/* ---- filters as blobs ---- */

struct target {
    unsigned char *at;
    size_t left;
};

static int put(void *arg, const void *data, size_t bytes)
{
    struct target *target = arg;
    if (bytes > target->left)
        return 1;
    memcpy(target->at, data, bytes);
    target->at += bytes;
    target->left -= bytes;
    return 0;
}

/* A packed header may have a few bytes more than a page, and has far fewer as a rule. */
enum { HEADER_MAY_GROW = 1024 };

void call_return_filter(sqlite3_context *ctx, const uf_filter *filter, unsigned format)
{
    uf_sizes sizes;
    uf_error why;
    (void)uf_get_sizes(filter, &sizes, sizeof sizes);
    size_t room = (size_t)sizes.file_bytes + HEADER_MAY_GROW;
    unsigned char *bytes = sqlite3_malloc64(room);
    if (!bytes) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    struct target target = {bytes, room};
    if (uf_write(filter, format, put, &target, &why) == UF_OK) {
        sqlite3_result_blob64(ctx, bytes, room - target.left, sqlite3_free);
        return;
    }
    sqlite3_free(bytes);
    call_raise(ctx, &why);
}

int call_may_name_files(sqlite3_context *ctx, const char *function)
{
    int on = 0;
    if (sqlite3_db_config(sqlite3_context_db_handle(ctx), SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, -1, &on) ==
            SQLITE_OK &&
        on)
        return 0;
    uf_error why;
    (void)call_fail(&why, UF_EKEY,
                    "%s names a file, which SQL may do only while the connection may load extensions: call it before "
                    "you switch that off",
                    function);
    call_raise(ctx, &why);
    return -1;
}
