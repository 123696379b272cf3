/* SPDX-License-Identifier: MIT */
#include "filter.h"

#include <string.h>
#include <sys/mman.h>

#include "filter_hash.h"
#include "status.h"

/* ---- one query: the call that its kind and its hash have ---- */

static int query_hashed(const struct uf_filter *filter, uf_key key)
{
    return filter->calls.query(filter, filter_hash(filter, key));
}

static int query_keyed(const struct uf_filter *filter, uf_key key)
{
    return filter->calls.query(filter, hash_keyed(&filter->hasher, key));
}

void filter_bind_query(uf_filter *filter)
{
    filter->query = filter->calls.query ? query_hashed : filter->ops->query_key;
    filter_ask_first(filter);
    if (is_keyed(filter) && filter->calls.query)
        filter->query = filter->calls.query_keyed ? filter->calls.query_keyed : query_keyed;
    if (filter->hasher.kind != HASH_XXH3)
        return;
    word_hash_start(&filter->word, filter->hasher.seed);
    string_hash_start(&filter->string, filter->hasher.seed);
    if (filter->calls.query_key)
        filter->query = filter->calls.query_key;
}

int filter_new(const struct filter_ops *ops, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    struct mem mem = {ctx->allocator};
    uf_filter *filter = mem_alloc(&mem, 1, sizeof *filter + ops->tail_bytes);
    if (!filter)
        return fail(why, UF_ENOMEM, "no memory for a filter");
    filter->ops = ops;
    filter->tail = filter + 1;
    filter->calls = ops->calls;
    filter->mem = mem;
    filter->cpu = ctx->cpu;
    filter->hasher.kind = ops->hash;
    filter_bind_query(filter);
    *out = filter;
    return UF_OK;
}

void filter_copy_params(const uf_filter *from, uf_filter *to)
{
    memcpy(to->params, from->params, sizeof to->params);
    memcpy(to->tail, from->tail, from->ops->tail_bytes);
}

int filter_allocate(uf_filter *filter, uf_error *why)
{
    filter->words = mem_alloc(&filter->mem, filter->word_count, sizeof *filter->words);
    return filter->words
               ? UF_OK
               : fail(why, UF_ENOMEM, "no memory for a filter of %zu bytes", filter->word_count * sizeof(uint64_t));
}

int filter_keep_table(uf_filter *filter, uf_error *why)
{
    const size_t count = filter->ops->table_words ? filter->ops->table_words(filter) : 0;
    if (!count)
        return UF_OK;
    filter->table = mem_alloc_dirty(&filter->mem, count, sizeof *filter->table);
    if (!filter->table)
        return fail(why, UF_ENOMEM, "no memory for a table of %zu bytes", count * sizeof *filter->table);
    filter->table_size = count;
    memcpy(filter->table, filter->words, count * sizeof *filter->table);
    return UF_OK;
}

void filter_bind(uf_filter *filter)
{
    filter->calls = filter->ops->calls;
    if (filter->ops->bind)
        filter->ops->bind(filter);
    filter_bind_query(filter);
}

void uf_set_progress(uf_filter *filter, int (*progress)(void *arg, uint64_t done, uint64_t total), void *arg)
{
    filter->progress = progress;
    filter->progress_arg = arg;
}

void filter_progress(const uf_filter *filter, uint64_t total, struct progress *out)
{
    progress_start(out, filter->progress, filter->progress_arg, total);
}

int filter_make(const struct filter_ops *ops, const struct spec *plan, const struct hasher *hasher,
                const uf_context *ctx, uf_filter **out, uf_error *why)
{
    uf_filter *filter = NULL;
    int status = filter_new(ops, ctx, &filter, why);
    if (status == UF_OK)
        status = ops->shape(filter, plan, why);
    if (status == UF_OK)
        status = filter_allocate(filter, why);
    if (status != UF_OK) {
        uf_free(filter);
        return status;
    }
    filter->hasher = *hasher;
    filter_bind(filter);
    *out = filter;
    return UF_OK;
}

int filter_solve(const struct filter_ops *ops, const struct spec *plan, const struct hasher *hasher,
                 struct hash_runs *runs, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    uf_filter *filter = NULL;
    int status = filter_new(ops, ctx, &filter, why);
    if (status != UF_OK)
        return status;
    filter->hasher = *hasher;
    status = ops->solve(filter, plan, runs, ctx, why);
    if (status != UF_OK) {
        uf_free(filter);
        return status;
    }
    filter_bind(filter);
    *out = filter;
    return UF_OK;
}

static unsigned nodes_of(const uf_filter *filter)
{
    unsigned nodes = 1;
    for (unsigned i = 0; i < filter->children; i++)
        nodes += nodes_of(filter->child[i]);
    return nodes;
}

int filter_add_child(uf_filter *filter, uf_filter *child, uf_error *why)
{
    if (nodes_of(filter) + nodes_of(child) > FILTER_MOST_NODES)
        return fail(why, UF_EUNSUPPORTED, "there is room for %d filters inside one another", FILTER_MOST_NODES);
    struct uf_filter **grown = mem_alloc(&filter->mem, filter->children + 1, sizeof *grown);
    if (!grown)
        return fail(why, UF_ENOMEM, "no memory for a filter inside another");
    if (filter->children)
        memcpy(grown, filter->child, filter->children * sizeof *grown);
    mem_free(&filter->mem, filter->child, filter->children, sizeof *grown);
    grown[filter->children++] = child;
    filter->child = grown;
    return UF_OK;
}

void uf_free(uf_filter *filter)
{
    if (!filter)
        return;
    struct mem mem = filter->mem;
    for (unsigned i = 0; i < filter->children; i++)
        uf_free(filter->child[i]);
    mem_free(&mem, filter->child, filter->children, sizeof(struct uf_filter *));
    if (filter->map && filter->map_bytes)
        munmap(filter->map, filter->map_bytes);
    else if (!filter->map)
        mem_free(&mem, filter->words, filter->word_count, sizeof *filter->words);
    mem_free(&mem, filter->table, filter->table_size, sizeof *filter->table);
    mem_free(&mem, filter->attached, filter->attached_bytes, 1);
    mem_free(&mem, filter->alternative, filter->alternative_bytes, 1);
    mem_free(&mem, filter, 1, sizeof *filter + filter->ops->tail_bytes);
}
