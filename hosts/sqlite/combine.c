/* SPDX-License-Identifier: MIT */
/* uf_union(filter): the union of twins, as an aggregate. NULLs are left out. */
#include "functions.h"

#include "values.h"

struct combine {
    uf_filter *filter;
    int failed;
};

static int merge(sqlite3_context *ctx, struct combine *combine, sqlite3_value *value, uf_error *why)
{
    struct state *state = sqlite3_user_data(ctx);
    struct shared_filter *shared = value_filter(state, value, why);
    struct call call;
    int status;
    if (!shared)
        return why->status;
    call_begin(&call, state);
    if (combine->filter)
        status = uf_merge(combine->filter, shared->filter, why);
    else
        status = uf_copy(shared->filter, &call.context, &combine->filter, why);
    shared_drop(shared);
    return status;
}

void aggregate_union_step(sqlite3_context *ctx, int count, sqlite3_value **values)
{
    struct combine *combine = sqlite3_aggregate_context(ctx, sizeof *combine);
    uf_error why;
    (void)count;
    if (!combine) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (combine->failed || sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    if (merge(ctx, combine, values[0], &why) == UF_OK)
        return;
    combine->failed = 1;
    call_raise(ctx, &why);
}

void aggregate_union_final(sqlite3_context *ctx)
{
    struct combine *combine = sqlite3_aggregate_context(ctx, 0);
    if (!combine || !combine->filter)
        return;
    if (!combine->failed)
        call_return_filter(ctx, combine->filter, UF_FORMAT_COMPACT);
    uf_free(combine->filter);
}
