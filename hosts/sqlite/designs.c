/* SPDX-License-Identifier: MIT */
/* uf_designs(epsilon, n): the designs that meet a privacy promise, the best one first. A table without storage, whose
 * last two columns are hidden and are its arguments. */
#include "functions.h"

#include <math.h>
#include <string.h>

enum column {
    COLUMN_MECHANISM,
    COLUMN_VARIANT,
    COLUMN_SPEC,
    COLUMN_FPR,
    COLUMN_FNR,
    COLUMN_F1,
    COLUMN_BITS_PER_KEY,
    COLUMN_NOTE,
    COLUMN_EPSILON,
    COLUMN_N
};

static const char schema[] = "CREATE TABLE x(mechanism TEXT, variant TEXT, spec TEXT, fpr REAL, fnr REAL, f1 REAL, "
                             "bits_per_key REAL, note TEXT, epsilon HIDDEN, n HIDDEN)";

struct cursor {
    sqlite3_vtab_cursor base;
    uf_design design[UF_MOST_DESIGNS];
    size_t at, count;
    double epsilon;
    sqlite3_int64 n;
};

static int connect(sqlite3 *db, void *arg, int argc, const char *const *argv, sqlite3_vtab **out, char **why)
{
    (void)arg, (void)argc, (void)argv, (void)why;
    int code = sqlite3_declare_vtab(db, schema);
    if (code != SQLITE_OK)
        return code;
    *out = sqlite3_malloc(sizeof **out);
    if (!*out)
        return SQLITE_NOMEM;
    memset(*out, 0, sizeof **out);
    return sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
}

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

/* Both arguments, or it is no plan. */
static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    int found = 0;
    (void)table;
    for (int i = 0; i < info->nConstraint; i++) {
        int column = info->aConstraint[i].iColumn;
        if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ || column < COLUMN_EPSILON)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = column - COLUMN_EPSILON + 1;
        info->aConstraintUsage[i].omit = 1;
        found |= 1 << (column - COLUMN_EPSILON);
    }
    if (found != 3) {
        sqlite3_free(table->zErrMsg);
        table->zErrMsg = sqlite3_mprintf("uf_designs takes two arguments: uf_designs(epsilon, n)");
        return SQLITE_ERROR;
    }
    info->estimatedCost = 10;
    info->estimatedRows = 8;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    struct cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    memset(cursor, 0, sizeof *cursor);
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc, sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;
    uf_error why;
    (void)number, (void)text, (void)argc;
    cursor->at = cursor->count = 0;
    cursor->epsilon = sqlite3_value_double(argv[0]);
    double n = sqlite3_value_double(argv[1]);
    cursor->n = n >= 0 && n <= 9007199254740992.0 ? (sqlite3_int64)n : 0;
    if (uf_designs(cursor->epsilon, (uint64_t)cursor->n, 0, 0, cursor->design, sizeof cursor->design[0],
                   UF_MOST_DESIGNS, &cursor->count, &why) == UF_OK)
        return SQLITE_OK;
    cursor->count = 0;
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s", why.text);
    return SQLITE_ERROR;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->at++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (const struct cursor *)base;
    return cursor->at >= cursor->count;
}

static void text(sqlite3_context *ctx, const char *value)
{
    if (value)
        sqlite3_result_text(ctx, value, -1, SQLITE_TRANSIENT);
}

static void number(sqlite3_context *ctx, double value)
{
    if (!isnan(value))
        sqlite3_result_double(ctx, value);
}

/* What is not possible has its reason for a note, and no figures. */
static int column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int which)
{
    const struct cursor *cursor = (const struct cursor *)base;
    const uf_design *design = &cursor->design[cursor->at];
    int possible = design->status == UF_OK;
    if (which == COLUMN_MECHANISM)
        text(ctx, design->mechanism);
    else if (which == COLUMN_VARIANT)
        text(ctx, design->variant);
    else if (which == COLUMN_NOTE)
        text(ctx, possible ? design->note : design->why.text);
    else if (which == COLUMN_EPSILON)
        sqlite3_result_double(ctx, cursor->epsilon);
    else if (which == COLUMN_N)
        sqlite3_result_int64(ctx, cursor->n);
    else if (possible && which == COLUMN_SPEC)
        text(ctx, design->spec.text);
    else if (possible)
        number(ctx, which == COLUMN_FPR   ? design->fpr
                    : which == COLUMN_FNR ? design->fnr
                    : which == COLUMN_F1  ? design->f1
                                          : design->bits_per_key);
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((struct cursor *)base)->at + 1;
    return SQLITE_OK;
}

static sqlite3_module module = {.xConnect = connect,
                                .xBestIndex = best_index,
                                .xDisconnect = disconnect,
                                .xOpen = open_cursor,
                                .xClose = close_cursor,
                                .xFilter = filter,
                                .xNext = next,
                                .xEof = at_end,
                                .xColumn = column,
                                .xRowid = rowid};

int designs_register(sqlite3 *db)
{
    return sqlite3_create_module_v2(db, "uf_designs", &module, NULL, NULL);
}
