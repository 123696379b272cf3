/* SPDX-License-Identifier: MIT */
/* uf_query(filter, key): 1 maybe, 0 certainly not; NULL when either is NULL. */
#include "functions.h"

#include "values.h"

static void drop(void *shared)
{
    shared_drop(shared);
}

/* A constant blob, or a parameter, is looked up once for a statement. */
static struct shared_filter *filter_of(sqlite3_context *ctx, sqlite3_value *value, int *owned, uf_error *why)
{
    struct shared_filter *shared = sqlite3_get_auxdata(ctx, 0);
    *owned = 0;
    if (shared)
        return shared;
    *owned = 1;
    shared = value_filter(sqlite3_user_data(ctx), value, why);
    if (shared && sqlite3_value_type(value) == SQLITE_BLOB) {
        shared->users++;
        sqlite3_set_auxdata(ctx, 0, shared, drop); /* which may drop it at once */
    }
    return shared;
}

void function_query(sqlite3_context *ctx, int count, sqlite3_value **values)
{
    unsigned char room[INTEGER_BYTES];
    uf_key key;
    uf_error why;
    int owned;
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL)
        return;
    if (value_key(values[1], room, &key, &why) != UF_OK) {
        call_raise(ctx, &why);
        return;
    }
    struct shared_filter *shared = filter_of(ctx, values[0], &owned, &why);
    if (shared)
        sqlite3_result_int(ctx, uf_query(shared->filter, key));
    else
        call_raise(ctx, &why);
    if (owned)
        shared_drop(shared);
}
