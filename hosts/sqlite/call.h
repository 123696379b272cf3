/* SPDX-License-Identifier: MIT */
/*
 * A call into the library on behalf of a statement: its context, what stops it, and its errors as results. SQLite looks
 * at sqlite3_interrupt between rows only, so a long call asks for itself, about twenty times a second.
 */
#ifndef ULTRAFILTER_SQLITE_CALL_H
#define ULTRAFILTER_SQLITE_CALL_H

#include "state.h"

struct call {
    uf_context context;
    sqlite3 *db;
    uint64_t last;
};

/* It has the connection's key. */
void call_begin(struct call *call, const struct state *state);

/* 1 when the statements of a connection shall stop. */
int call_is_interrupted(sqlite3 *db);

/* Writes a reason, and returns the status. */
int call_fail(uf_error *why, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The reason as the result of a function, with a code of SQLite's that goes with it. */
void call_raise(sqlite3_context *ctx, const uf_error *why);

/* The filter as the result, in the format of a file or of a value (enum uf_how). */
void call_return_filter(sqlite3_context *ctx, const uf_filter *filter, unsigned format);

/* Whether SQL may name files: while the connection may load extensions, and never in views, triggers and the like,
 * which functions of files are kept out of by SQLITE_DIRECTONLY. 0, or -1 and an error as the result. */
int call_may_name_files(sqlite3_context *ctx, const char *function);

#endif
