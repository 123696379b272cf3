/* SPDX-License-Identifier: MIT */
#include "values.h"

int value_key(sqlite3_value *value, unsigned char room[INTEGER_BYTES], uf_key *out, uf_error *why)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: {
        uint64_t number = (uint64_t)sqlite3_value_int64(value);
        for (int i = 0; i < INTEGER_BYTES; i++)
            room[i] = (unsigned char)(number >> (8 * i));
        *out = (uf_key){room, INTEGER_BYTES};
        return UF_OK;
    }
    case SQLITE_TEXT:
        out->data = sqlite3_value_text(value);
        out->size = (size_t)sqlite3_value_bytes(value);
        return UF_OK;
    case SQLITE_BLOB:
        out->data = sqlite3_value_blob(value);
        out->size = (size_t)sqlite3_value_bytes(value);
        return UF_OK;
    default:
        return call_fail(why, UF_EINVAL, "a key is text, a blob or an integer, not a floating-point number: cast it");
    }
}

const char *value_text(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    return text ? text : "";
}

/* Asking with keys as they are would give wrong answers. */
static int is_barred(const uf_filter *filter, uf_error *why)
{
    if (!(uf_get_normal(filter) & (UF_NORMAL_LOWERCASE | UF_NORMAL_TRIM)))
        return 0;
    (void)call_fail(why, UF_EUNSUPPORTED,
                    "the keys of this filter were made lowercase or trimmed when it was built, which is not done "
                    "here: ask it with the program ultrafilter, or build one of the keys as they are");
    return 1;
}

struct shared_filter *value_filter(struct state *state, sqlite3_value *value, uf_error *why)
{
    struct shared_filter *shared = NULL;
    why->text[0] = '\0';
    if (sqlite3_value_type(value) == SQLITE_TEXT) {
        shared = state_named(state, value_text(value));
        if (!shared)
            (void)call_fail(why, UF_EINVAL, "there is no filter '%.60s': open it with uf_open(name, path)",
                            value_text(value));
    } else if (sqlite3_value_type(value) == SQLITE_BLOB) {
        size_t size = (size_t)sqlite3_value_bytes(value);
        shared = state_load(state, sqlite3_value_blob(value), size, why);
    } else {
        (void)call_fail(why, UF_EINVAL, "a filter is a blob, or the name of one that was opened with uf_open");
    }
    if (shared && is_barred(shared->filter, why)) {
        shared_drop(shared);
        shared = NULL;
    }
    return shared;
}
