/* SPDX-License-Identifier: MIT */
/*
 * Aggregates that make a filter of keys:
 *
 *   uf_build(key, spec)                                         a filter
 *   uf_publish(key, spec, ledger, data_set, budget [, label])   a private one, charged to a ledger before it is
 * returned
 *
 * NULL keys are left out, as aggregates do. Keys are gathered in batches, since one by one they cost ten times as much.
 *
 * The ledger is a file, as the program's, and no table: a table would be part of the transaction, and a ROLLBACK would
 * take the charge back after the filter was seen.
 */
#include "functions.h"

#include <stdlib.h>
#include <string.h>

#include "values.h"

enum { BATCH_KEYS = 1024, BATCH_BYTES = 1 << 16 };

struct build {
    int begun;
    int failed; /* an error was raised: nothing more is done */
    struct call call;
    uf_builder *builder;
    uf_spec spec;
    char *ledger, *data_set, *label; /* uf_publish only */
    double budget;
    size_t keys, bytes;
    uf_key *key;
    unsigned char *room;
};

static void fail(sqlite3_context *ctx, struct build *build, const uf_error *why)
{
    build->failed = 1;
    call_raise(ctx, why);
}

/* ---- the beginning ---- */

static int copy_text(char **out, sqlite3_value *value, uf_error *why)
{
    *out = strdup(value_text(value));
    return *out ? UF_OK : call_fail(why, UF_ENOMEM, "there is no memory");
}

static int read_release(struct build *build, int count, sqlite3_value **values, uf_error *why)
{
    const char *kind = uf_spec_kind(&build->spec);
    if (!(uf_kind_traits(kind) & UF_TRAIT_PRIVATE))
        return call_fail(why, UF_EINVAL, "a filter of kind %s is not private: publish dpset or ultra, with an epsilon",
                         kind);
    if (!value_text(values[2])[0] || !value_text(values[3])[0])
        return call_fail(why, UF_EINVAL, "uf_publish needs the path of a ledger and the name of the data set");
    build->budget = sqlite3_value_double(values[4]);
    int status = copy_text(&build->ledger, values[2], why);
    if (status == UF_OK)
        status = copy_text(&build->data_set, values[3], why);
    if (status == UF_OK && count > 5 && sqlite3_value_type(values[5]) != SQLITE_NULL)
        status = copy_text(&build->label, values[5], why);
    build->call.context.label = build->label;
    return status;
}

static int begin(sqlite3_context *ctx, struct build *build, int count, sqlite3_value **values, uf_error *why)
{
    build->begun = 1;
    call_begin(&build->call, sqlite3_user_data(ctx));
    build->key = malloc(BATCH_KEYS * sizeof *build->key);
    build->room = malloc(BATCH_BYTES);
    if (!build->key || !build->room)
        return call_fail(why, UF_ENOMEM, "there is no memory");
    int status = uf_spec_parse(value_text(values[1]), &build->spec, why);
    if (status == UF_OK && count > 2)
        status = read_release(build, count, values, why);
    return status == UF_OK ? uf_builder_new(&build->spec, &build->call.context, &build->builder, why) : status;
}

/* ---- keys ---- */

static int flush(struct build *build, uf_error *why)
{
    size_t keys = build->keys;
    build->keys = build->bytes = 0;
    return keys ? uf_builder_add(build->builder, build->key, keys, why) : UF_OK;
}

static int add(struct build *build, uf_key key, uf_error *why)
{
    int status = UF_OK;
    if (build->keys == BATCH_KEYS || key.size > BATCH_BYTES - build->bytes)
        status = flush(build, why);
    if (status != UF_OK)
        return status;
    if (key.size > BATCH_BYTES)
        return uf_builder_add(build->builder, &key, 1, why);
    unsigned char *at = build->room + build->bytes;
    if (key.size)
        memcpy(at, key.data, key.size);
    build->key[build->keys++] = (uf_key){at, key.size};
    build->bytes += key.size;
    return UF_OK;
}

void aggregate_build_step(sqlite3_context *ctx, int count, sqlite3_value **values)
{
    struct build *build = sqlite3_aggregate_context(ctx, sizeof *build);
    unsigned char room[INTEGER_BYTES];
    uf_key key;
    uf_error why;
    if (!build) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (build->failed)
        return;
    if (!build->begun && count > 2 && call_may_name_files(ctx, "uf_publish")) {
        build->failed = 1;
        return;
    }
    int status = build->begun ? UF_OK : begin(ctx, build, count, values, &why);
    if (status == UF_OK && sqlite3_value_type(values[0]) != SQLITE_NULL) {
        status = value_key(values[0], room, &key, &why);
        if (status == UF_OK)
            status = add(build, key, &why);
    }
    if (status != UF_OK)
        fail(ctx, build, &why);
}

/* ---- the end ---- */

static int charge(const struct build *build, const uf_filter *filter, uf_error *why)
{
    char id[UF_FINGERPRINT_SIZE];
    uf_charge cost = UF_CHARGE_INIT;
    uf_claim claim;
    int status = uf_fingerprint(filter, id, why);
    if (status == UF_OK)
        status = uf_get_claim(filter, &claim, sizeof claim);
    if (status != UF_OK)
        return why->status = status;
    cost.data_set = build->data_set;
    cost.mechanism = uf_spec_kind(&build->spec);
    cost.id = id;
    cost.epsilon = claim.epsilon;
    cost.delta = claim.delta;
    cost.budget = build->budget;
    cost.label = build->label;
    return uf_ledger_charge(build->ledger, &cost, NULL, 0, why);
}

static void finish(sqlite3_context *ctx, struct build *build)
{
    uf_filter *filter = NULL;
    uf_error why;
    /* After an error elsewhere SQLite ends the aggregate as well, and nobody would see the result. */
    int status = call_is_interrupted(build->call.db) ? call_fail(&why, UF_ECANCELED, "interrupted") : UF_OK;
    if (status == UF_OK)
        status = flush(build, &why);
    if (status == UF_OK)
        status = uf_builder_finish(build->builder, &filter, &why);
    if (status == UF_OK && build->ledger)
        status = charge(build, filter, &why);
    if (status == UF_OK)
        call_return_filter(ctx, filter, UF_FORMAT_COMPACT);
    else
        call_raise(ctx, &why);
    uf_free(filter);
}

void aggregate_build_final(sqlite3_context *ctx)
{
    struct build *build = sqlite3_aggregate_context(ctx, 0);
    if (!build || !build->begun)
        return; /* no rows: NULL */
    if (!build->failed)
        finish(ctx, build);
    uf_builder_free(build->builder);
    free(build->ledger);
    free(build->data_set);
    free(build->label);
    free(build->key);
    free(build->room);
}
