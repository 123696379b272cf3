/* SPDX-License-Identifier: MIT */
/* uf_info(filter) and uf_claim(filter), as JSON with the names of the program's, in which numbers that do not apply are
 * null; and uf_file(filter), the bytes of its .uf file. */
#include "functions.h"

#include <math.h>

#include "values.h"

/* A text in quotes; nothing here has more than these to escape, but a file may say what it likes. */
static void put_text(sqlite3_str *out, const char *text)
{
    sqlite3_str_appendchar(out, 1, '"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            sqlite3_str_appendf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            sqlite3_str_appendchar(out, 1, *text);
    sqlite3_str_appendchar(out, 1, '"');
}

static void name(sqlite3_str *out, const char *text)
{
    sqlite3_str_appendchar(out, 1, sqlite3_str_length(out) ? ',' : '{');
    put_text(out, text);
    sqlite3_str_appendchar(out, 1, ':');
}

static void member_text(sqlite3_str *out, const char *key, const char *text)
{
    name(out, key);
    if (text)
        put_text(out, text);
    else
        sqlite3_str_appendall(out, "null");
}

static void member_number(sqlite3_str *out, const char *key, double value)
{
    name(out, key);
    if (isfinite(value))
        sqlite3_str_appendf(out, "%!.12g", value);
    else
        sqlite3_str_appendall(out, "null");
}

static void member_whole(sqlite3_str *out, const char *key, uint64_t value)
{
    name(out, key);
    sqlite3_str_appendf(out, "%llu", (unsigned long long)value);
}

static int put_info(const uf_filter *filter, sqlite3_str *out)
{
    uf_info info;
    uf_spec plan;
    char key_id[UF_KEY_ID_SIZE];
    int status = uf_get_info(filter, &info, sizeof info);
    if (status != UF_OK)
        return status;
    uf_get_plan(filter, &plan);
    uf_get_key_id(filter, key_id);
    member_text(out, "kind", info.kind);
    member_text(out, "spec", plan.text);
    member_text(out, "key_id", key_id[0] ? key_id : NULL);
    member_whole(out, "bytes", info.bytes);
    member_whole(out, "bits", info.bits);
    member_whole(out, "capacity", info.capacity);
    member_number(out, "count_estimate", info.count_estimate);
    member_number(out, "fill", info.fill);
    member_number(out, "fpr_now", info.fpr_now);
    member_text(out, "full", info.full);
    return UF_OK;
}

static int put_claim(const uf_filter *filter, sqlite3_str *out)
{
    uf_claim claim;
    int status = uf_get_claim(filter, &claim, sizeof claim);
    if (status != UF_OK)
        return status;
    member_number(out, "epsilon", claim.epsilon);
    member_number(out, "delta", claim.delta);
    member_number(out, "fpr", claim.fpr);
    member_number(out, "adversarial_fpr", claim.adversarial_fpr);
    member_number(out, "fnr", claim.fnr);
    member_number(out, "adversarial_fnr", claim.adversarial_fnr);
    member_number(out, "removed_fpr", claim.removed_fpr);
    member_whole(out, "fpr_against", claim.fpr_against); /* enum uf_against, or-ed */
    member_whole(out, "fnr_against", claim.fnr_against);
    member_text(out, "unit", claim.unit);
    member_text(out, "adversary", claim.adversary);
    member_text(out, "not_protected", claim.not_protected);
    member_text(out, "proof", claim.proof);
    return UF_OK;
}

static void describe(sqlite3_context *ctx, sqlite3_value *value, int (*put)(const uf_filter *, sqlite3_str *))
{
    uf_error why;
    if (sqlite3_value_type(value) == SQLITE_NULL)
        return;
    struct shared_filter *shared = value_filter(sqlite3_user_data(ctx), value, &why);
    if (!shared) {
        call_raise(ctx, &why);
        return;
    }
    sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(ctx));
    int status = put(shared->filter, out);
    shared_drop(shared);
    sqlite3_str_appendchar(out, 1, '}');
    char *text = sqlite3_str_finish(out);
    if (status != UF_OK) {
        sqlite3_free(text);
        (void)call_fail(&why, status, "%s", uf_status_text(status));
        call_raise(ctx, &why);
    } else if (text) {
        sqlite3_result_text(ctx, text, -1, sqlite3_free);
    } else {
        sqlite3_result_error_nomem(ctx);
    }
}

void function_info(sqlite3_context *ctx, int count, sqlite3_value **values)
{
    (void)count;
    describe(ctx, values[0], put_info);
}

void function_claim(sqlite3_context *ctx, int count, sqlite3_value **values)
{
    (void)count;
    describe(ctx, values[0], put_claim);
}

void function_file(sqlite3_context *ctx, int count, sqlite3_value **values)
{
    uf_error why;
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    struct shared_filter *shared = value_filter(sqlite3_user_data(ctx), values[0], &why);
    if (shared)
        call_return_filter(ctx, shared->filter, UF_FORMAT_UF);
    else
        call_raise(ctx, &why);
    shared_drop(shared);
}
