/* SPDX-License-Identifier: MIT */
/*
 * What the files of the extension share: PostgreSQL's header first, then the library's. Errors of the library become
 * ereports (errors.c), its memory comes from memory contexts (memory.c), and what it made is freed with the context it
 * lies in, whatever throws.
 */
#ifndef UFPG_HOST_H
#define UFPG_HOST_H

#include "postgres.h"
/* after it */
#include "fmgr.h"
#include "utils/memutils.h"

#define UF_EXPERIMENTAL
#include "ultrafilter.h"

/* ---- errors.c ---- */

/* Throws what the library said. A cancelled query is thrown as PostgreSQL does it. */
void pg_attribute_noreturn() fail_with(int status, const uf_error *why);

static inline void check(int status, const uf_error *why)
{
    if (status != UF_OK)
        fail_with(status, why);
}

/* ---- memory.c ---- */

/* A filter or a builder that is freed when the memory context goes in which it was allocated. */
struct held {
    MemoryContextCallback callback;
    uf_filter *filter;
    uf_builder *builder;
};

/* In this context, as is all that is put into it. */
struct held *held_new(MemoryContext memory);
/* Frees what it holds now; the few bytes of `held` go with the context. */
void held_drop(struct held *held);

/* A context of the library: memory from here, cancelled with the query, keys of the setting. */
uf_context host_context(MemoryContext memory);

/* Where the state of an aggregate lives. Throws when the function was called by itself. */
MemoryContext aggregate_memory(FunctionCallInfo fcinfo);

/* ---- secret.c ---- */

void secret_define_setting(void);
/* The key of the setting, or a thrown error when there is none. Owned by this process. */
const uf_secret *secret_needed(void);
/* For uf_context.secret_by_id. */
const uf_secret *secret_find(void *arg, const char *key_id);

/* ---- value.c ---- */

/* Checks bytes of either format and loads them into `held`. `how` is 0 or UF_WITHOUT_KEY. */
void value_load(struct varlena *value, unsigned how, struct held *held, MemoryContext memory);

/* The value of a filter: a varlena of its compact form, in the current context. */
struct varlena *value_of(const uf_filter *filter);

/* A value for a look: in the current context, without its key, and to be dropped. */
struct held *value_look(struct varlena *value);

/* 1: its keys were made lowercase or trimmed, so that asking with keys as they are would miss members. */
int value_is_barred(const uf_filter *filter);

/* ---- key.c ---- */

enum key_class { KEY_BYTES, KEY_INT8, KEY_UUID };

/* A key as bytes: those of text and bytea, 8 of an integer with the lowest first, 16 of a uuid. Points into `word` or
 * the datum, which is detoasted into the current context when it must be. */
uf_key key_of(enum key_class class, Datum datum, unsigned char word[8]);

#endif
