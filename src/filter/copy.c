/* SPDX-License-Identifier: MIT */
/* Twins: a filter with everything in it, once more, in memory of its own. */
#include <string.h>

#include "attached.h"
#include "bits.h"
#include "capacity.h"
#include "context.h"
#include "filter.h"
#include "locked.h"
#include "payload.h"
#include "snapshot.h"
#include "status.h"

/* What a filter is without what it owns. Nothing of a kind's params is owned. */
static void copy_parts(const uf_filter *from, uf_filter *to)
{
    to->hasher = from->hasher;
    to->word_count = from->word_count;
    to->shared = from->shared;
    to->early_exit = from->early_exit;
    to->test_random = from->test_random;
    to->note = from->note;
    to->counted = from->counted;
    to->normal = from->normal;
    to->locked = from->locked;
    to->released = from->released;
    capacity_copy(from, to);
    filter_copy_params(from, to);
}

static int copy_words(const uf_filter *from, uf_filter *to, struct progress *progress, uf_error *why)
{
    const size_t step = PROGRESS_STEP / sizeof *to->words;
    if (!from->word_count)
        return UF_OK;
    to->words = mem_alloc_dirty(&to->mem, to->word_count, sizeof *to->words);
    if (!to->words)
        return fail(why, UF_ENOMEM, "no memory for a filter of %zu bytes", to->word_count * sizeof *to->words);
    for (size_t at = 0; at < from->word_count; at += step) {
        size_t count = from->word_count - at < step ? from->word_count - at : step;
        if (from->shared)
            bits_copy_shared(to->words + at, from->words + at, count);
        else
            memcpy(to->words + at, from->words + at, count * sizeof *to->words);
        if (progress_add(progress, count * sizeof *to->words) != UF_OK)
            return progress_stopped(progress, why);
    }
    if (from->table) /* the words of a mapping may have changed since they were checked */
        memcpy(to->words, from->table, from->table_size * sizeof *to->words);
    return UF_OK;
}

static int copy_filter(const uf_filter *from, const uf_context *ctx, struct progress *progress, uf_filter **out,
                       uf_error *why);

static int copy_children(const uf_filter *from, const uf_context *ctx, struct progress *progress, uf_filter *to,
                         uf_error *why)
{
    int status = UF_OK;
    for (unsigned i = 0; status == UF_OK && i < from->children; i++) {
        uf_filter *child = NULL;
        status = copy_filter(from->child[i], ctx, progress, &child, why);
        if (status == UF_OK)
            status = filter_add_child(to, child, why);
        if (status != UF_OK)
            uf_free(child);
    }
    return status;
}

static int copy_filter(const uf_filter *from, const uf_context *ctx, struct progress *progress, uf_filter **out,
                       uf_error *why)
{
    uf_filter *to = NULL;
    int status = filter_new(from->ops, ctx, &to, why);
    if (status != UF_OK)
        return status;
    copy_parts(from, to);
    status = copy_words(from, to, progress, why);
    if (status == UF_OK)
        status = attached_set(to, from->attached, from->attached_bytes, why);
    if (status == UF_OK)
        status = copy_children(from, ctx, progress, to, why);
    if (status != UF_OK) {
        uf_free(to);
        return status;
    }
    filter_bind(to);
    locked_bind(to);
    if (from->map)
        capacity_check(to); /* which loading leaves to those that can change */
    if (to->shared)
        capacity_measure(to); /* threads must find it known */
    *out = to;
    return UF_OK;
}

int uf_copy(const uf_filter *filter, const uf_context *given, uf_filter **out, uf_error *why)
{
    uf_context ctx;
    struct progress progress;
    error_clear(why);
    if (!filter || !out)
        return fail(why, UF_EINVAL, "no filter or no place for the copy was given");
    int status = context_read(given, &ctx, why);
    if (status != UF_OK)
        return status;
    filter_progress(filter, payload_bytes(filter), &progress);
    status = copy_filter(filter, &ctx, &progress, out, why);
    progress_end(&progress);
    return status;
}

int snapshot_take(const uf_filter *filter, struct snapshot *out, uf_error *why)
{
    uf_context ctx = UF_CONTEXT_INIT;
    struct progress progress;
    *out = (struct snapshot){filter, NULL};
    if (!filter->shared)
        return UF_OK;
    ctx.allocator = filter->mem.hook;
    ctx.cpu = filter->cpu;
    progress_start(&progress, NULL, NULL, 0);
    int status = copy_filter(filter, &ctx, &progress, &out->copy, why);
    progress_end(&progress);
    if (status == UF_OK) {
        out->copy->shared = 0;
        out->filter = out->copy;
    }
    return status;
}

void snapshot_drop(struct snapshot *snapshot)
{
    uf_free(snapshot->copy);
}
