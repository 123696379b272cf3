/* SPDX-License-Identifier: MIT */
/* The SQL functions, from the files named; extension.c registers them. */
#ifndef ULTRAFILTER_SQLITE_FUNCTIONS_H
#define ULTRAFILTER_SQLITE_FUNCTIONS_H

#include "host.h"

void function_query(sqlite3_context *ctx, int count, sqlite3_value **values);       /* query.c */
void function_open(sqlite3_context *ctx, int count, sqlite3_value **values);        /* files.c */
void function_close(sqlite3_context *ctx, int count, sqlite3_value **values);       /* files.c */
void function_key_file(sqlite3_context *ctx, int count, sqlite3_value **values);    /* files.c */
void function_info(sqlite3_context *ctx, int count, sqlite3_value **values);        /* describe.c */
void function_claim(sqlite3_context *ctx, int count, sqlite3_value **values);       /* describe.c */
void function_file(sqlite3_context *ctx, int count, sqlite3_value **values);        /* describe.c */
void aggregate_build_step(sqlite3_context *ctx, int count, sqlite3_value **values); /* build.c */
void aggregate_build_final(sqlite3_context *ctx);                                   /* build.c */
void aggregate_union_step(sqlite3_context *ctx, int count, sqlite3_value **values); /* combine.c */
void aggregate_union_final(sqlite3_context *ctx);                                   /* combine.c */

/* The table-valued function uf_designs(epsilon, n). */
int designs_register(sqlite3 *db); /* designs.c */

#endif
