/* SPDX-License-Identifier: MIT */
/*
 * The entry of the extension: registers its functions. The master key of keyed filters comes from outside of SQL, from
 * the file that the environment names in ULTRAFILTER_KEY_FILE when the extension is loaded, or from uf_key_file(path).
 */
#include "host.h"

SQLITE_EXTENSION_INIT1

#include <stdlib.h>

#include "functions.h"
#include "state.h"

#define VISIBLE __attribute__((visibility("default")))

VISIBLE int sqlite3_extension_init(sqlite3 *db, char **why, const sqlite3_api_routines *api);

static void function_version(sqlite3_context *ctx, int count, sqlite3_value **values)
{
    (void)count, (void)values;
    sqlite3_result_text(ctx, uf_version(), -1, SQLITE_STATIC);
}

struct function {
    const char *name;
    int arguments, flags;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
    void (*step)(sqlite3_context *, int, sqlite3_value **);
    void (*final)(sqlite3_context *);
};

/* What draws randomness is not deterministic; what names files, or changes what names mean, is for direct use only. A
 * filter under a name can be another one in the next statement, so that uf_query is no fit for an index. */
static const struct function functions[] = {
    {"uf_query", 2, 0, function_query, NULL, NULL},
    {"uf_build", 2, 0, NULL, aggregate_build_step, aggregate_build_final},
    {"uf_union", 1, 0, NULL, aggregate_union_step, aggregate_union_final},
    {"uf_info", 1, 0, function_info, NULL, NULL},
    {"uf_claim", 1, 0, function_claim, NULL, NULL},
    {"uf_file", 1, 0, function_file, NULL, NULL},
    {"uf_version", 0, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, function_version, NULL, NULL},
    {"uf_publish", 5, SQLITE_DIRECTONLY, NULL, aggregate_build_step, aggregate_build_final},
    {"uf_publish", 6, SQLITE_DIRECTONLY, NULL, aggregate_build_step, aggregate_build_final},
    {"uf_open", 2, SQLITE_DIRECTONLY, function_open, NULL, NULL},
    {"uf_close", 1, SQLITE_DIRECTONLY, function_close, NULL, NULL},
    {"uf_key_file", 1, SQLITE_DIRECTONLY, function_key_file, NULL, NULL},
};

static int register_all(sqlite3 *db, struct state *state)
{
    int code = designs_register(db);
    for (size_t i = 0; code == SQLITE_OK && i < sizeof functions / sizeof functions[0]; i++) {
        const struct function *f = &functions[i];
        state->users++; /* SQLite gives it back with state_drop, after a failure as well */
        code = sqlite3_create_function_v2(db, f->name, f->arguments, SQLITE_UTF8 | f->flags, state, f->call, f->step,
                                          f->final, state_drop);
    }
    return code;
}

static int load_key(struct state *state, char **why)
{
    const char *path = getenv("ULTRAFILTER_KEY_FILE");
    uf_secret *secret;
    uf_error reason;
    if (!path || !path[0])
        return SQLITE_OK;
    if (uf_secret_load(path, &secret, &reason) != UF_OK) {
        *why = sqlite3_mprintf("ULTRAFILTER_KEY_FILE: %s", reason.text);
        return SQLITE_ERROR;
    }
    return state_set_secret(state, secret) ? SQLITE_NOMEM : SQLITE_OK;
}

int sqlite3_extension_init(sqlite3 *db, char **why, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api)
    struct state *state = state_new(db);
    if (!state)
        return SQLITE_NOMEM;
    state->users = 1;
    int code = load_key(state, why);
    if (code == SQLITE_OK)
        code = register_all(db, state);
    state_drop(state);
    return code;
}
