/* SPDX-License-Identifier: MIT */
/* Functions that touch files: uf_open(name, path), uf_close(name), uf_key_file(path). */
#include "functions.h"

#include "values.h"

void function_open(sqlite3_context *ctx, int count, sqlite3_value **values)
{
    struct state *state = sqlite3_user_data(ctx);
    struct call call;
    uf_filter *filter;
    uf_error why;
    (void)count;
    if (call_may_name_files(ctx, "uf_open"))
        return;
    call_begin(&call, state);
    int status = value_text(values[0])[0]
                     ? uf_load(value_text(values[1]), UF_FORMAT_UF, &call.context, &filter, &why)
                     : call_fail(&why, UF_EINVAL, "a filter is opened under a name: uf_open(name, path)");
    if (status != UF_OK)
        call_raise(ctx, &why);
    else if (state_open(state, value_text(values[0]), filter))
        sqlite3_result_error_nomem(ctx);
    else
        sqlite3_result_value(ctx, values[0]);
}

void function_close(sqlite3_context *ctx, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_result_int(ctx, state_close(sqlite3_user_data(ctx), value_text(values[0])));
}

void function_key_file(sqlite3_context *ctx, int count, sqlite3_value **values)
{
    uf_secret *secret;
    uf_error why;
    char id[UF_KEY_ID_SIZE];
    (void)count;
    if (call_may_name_files(ctx, "uf_key_file"))
        return;
    if (uf_secret_load(value_text(values[0]), &secret, &why) != UF_OK) {
        call_raise(ctx, &why);
        return;
    }
    uf_secret_id(secret, id);
    if (state_set_secret(sqlite3_user_data(ctx), secret))
        sqlite3_result_error_nomem(ctx);
    else
        sqlite3_result_text(ctx, id, -1, SQLITE_TRANSIENT);
}
