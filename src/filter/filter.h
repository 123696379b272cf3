/* SPDX-License-Identifier: MIT */
/* Handles: making them, what they own, and what can be read off them. */
#ifndef UF_FILTER_H
#define UF_FILTER_H

#include "ops.h"
#include "progress.h"

/* A filter, its children, and theirs. */
enum { FILTER_MOST_NODES = 64, FILTER_MOST_DEPTH = 4 };

/* A handle without params or words. Freed with uf_free, as all of these. */
int filter_new(const struct filter_ops *ops, const uf_context *ctx, uf_filter **out, uf_error *why);

/* An empty filter of a plan, ready for keys: shaped, allocated, bound to its calls. It takes whatever comes until
 * capacity_open says otherwise. */
int filter_make(const struct filter_ops *ops, const struct spec *plan, const struct hasher *hasher,
                const uf_context *ctx, uf_filter **out, uf_error *why);

/* A static filter of all keys at once, whose hashes were made with `hasher`. */
int filter_solve(const struct filter_ops *ops, const struct spec *plan, const struct hasher *hasher,
                 struct hash_runs *runs, const uf_context *ctx, uf_filter **out, uf_error *why);

/* The calls of its kind, once params and hasher are known. */
void filter_bind(uf_filter *filter);

/* How it is asked for one key, once its calls are known. */
void filter_bind_query(uf_filter *filter);

/* Whether it takes keys, and how, may have changed: uf_add asks again. */
static inline void filter_ask_first(uf_filter *filter)
{
    filter->add = NULL;
}

/* What uf_set_progress asked for, for a call that has so much to do. */
void filter_progress(const uf_filter *filter, uint64_t total, struct progress *out);

/* For filters of one kind: the params, and the tables that follow from them. */
void filter_copy_params(const uf_filter *from, uf_filter *to);

/* Zeroed words for the params it has. */
int filter_allocate(uf_filter *filter, uf_error *why);

/* Puts a filter inside another, as its last child, which then owns it. On failure the caller still does. Fill inner
 * filters first: the limit of FILTER_MOST_NODES is checked here. */
int filter_add_child(uf_filter *filter, uf_filter *child, uf_error *why);

/* Gives a filter whose words lie in memory that others may change a copy of its table: before it is checked. */
int filter_keep_table(uf_filter *filter, uf_error *why);

/* The first words, as they were when they were checked. */
static inline const uint64_t *filter_table(const uf_filter *filter)
{
    return filter->table ? filter->table : filter->words;
}

static inline int is_released(const uf_filter *filter)
{
    return filter->released.mechanism != RELEASE_NONE;
}

static inline int is_keyed(const uf_filter *filter)
{
    return hash_is_keyed(filter->hasher.kind);
}

/* Filters of this spec have a key: by their nature, or because it says so. */
static inline int has_key(const struct filter_ops *ops, const struct spec *spec)
{
    return ops->keyed || spec->keyed;
}

#endif
