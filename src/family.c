/* SPDX-License-Identifier: MIT */
#include "family.h"

#include <string.h>

#include "filter.h"
#include "status.h"

enum { LINE = 8 };

static size_t whole_lines(size_t words)
{
    return (words + LINE - 1) / LINE * LINE;
}

/* ---- words ---- */

static int sum_words(uf_filter *filter, uf_error *why)
{
    uint64_t words = whole_lines(filter->own_words);
    for (unsigned i = 0; i < filter->children; i++)
        words += (uint64_t)filter->child[i]->word_count + LINE;
    if (words > SIZE_MAX / 8)
        return fail(why, UF_ENOMEM, "a filter of %llu words does not fit into this machine's memory",
                    (unsigned long long)words);
    filter->word_count = whole_lines(filter->own_words);
    for (unsigned i = 0; i < filter->children; i++)
        filter->word_count += whole_lines(filter->child[i]->word_count);
    return UF_OK;
}

void family_place(uf_filter *filter)
{
    uint64_t *at = filter->words + whole_lines(filter->own_words);
    for (unsigned i = 0; i < filter->children; i++) {
        filter->child[i]->words = at;
        at += whole_lines(filter->child[i]->word_count);
    }
}

/* A child's own words go where they belong, and are freed. */
static void move_words(uf_filter *child, uint64_t *to)
{
    memcpy(to, child->words, child->word_count * sizeof *to);
    mem_free(&child->mem, child->words, child->word_count, sizeof *to);
    child->words = to;
}

int family_join(uf_filter *filter, const uint64_t *own, uf_filter *const *child, unsigned count, uf_error *why)
{
    filter->children = count;
    for (unsigned i = 0; i < count; i++)
        filter->child[i] = child[i];
    int status = sum_words(filter, why);
    if (status == UF_OK)
        status = filter_allocate(filter, why);
    if (status != UF_OK) {
        for (unsigned i = 0; i < count; i++)
            uf_free(child[i]);
        filter->children = 0;
        return status;
    }
    if (filter->own_words)
        memcpy(filter->words, own, filter->own_words * sizeof *own);
    uint64_t *at = filter->words + whole_lines(filter->own_words);
    for (unsigned i = 0; i < count; i++) {
        move_words(child[i], at);
        at += whole_lines(child[i]->word_count);
    }
    return UF_OK;
}

/* ---- bytes ---- */

enum { NODE_BYTES = 8 };

void family_write(const uf_filter *filter, struct writer *writer)
{
    for (unsigned i = 0; i < filter->children; i++) {
        const uf_filter *child = filter->child[i];
        struct writer head = *writer, params = *writer;
        params.at += NODE_BYTES;
        params.left -= NODE_BYTES;
        size_t before = params.left;
        child->ops->encode(child, &params);
        write_uint(&head, child->ops->id, 2);
        write_uint(&head, 0, 2);
        write_uint(&head, before - params.left, 4);
        *writer = params;
    }
}

static int read_child(uf_filter *filter, struct reader *reader, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    uint64_t id = read_uint(reader, 2), zero = read_uint(reader, 2), bytes = read_uint(reader, 4);
    const struct filter_ops *ops = kind_by_id(id);
    if (reader->bad || zero || bytes > reader->left)
        return fail(why, UF_EFORMAT, "is damaged: the description of a filter inside it makes no sense");
    if (!ops)
        return fail(why, UF_EVERSION, "has a filter inside of a kind (number %llu) that this library does not have",
                    (unsigned long long)id);
    if (ops->adopt || ops->declared || ops->hash != filter->ops->hash)
        return fail(why, UF_EFORMAT, "is damaged: a %s filter cannot be inside another one", ops->name);
    int status = filter_new(ops, ctx, out, why);
    if (status != UF_OK)
        return status;
    struct reader params = {read_bytes(reader, (size_t)bytes), (size_t)bytes, 0};
    (*out)->hasher = filter->hasher;
    status = ops->decode(*out, &params, why);
    if (status == UF_OK && (params.bad || params.left))
        status = fail(why, UF_EFORMAT, "is damaged: a %s filter has other parameters", ops->name);
    if (status == UF_OK && ops->bind)
        ops->bind(*out);
    return status;
}

int family_read(uf_filter *filter, struct reader *reader, uint64_t count, const uf_context *ctx, uf_error *why)
{
    if (!filter->ops->adopt)
        return count ? fail(why, UF_EFORMAT, "is damaged: a %s filter has no others inside", filter->ops->name) : UF_OK;
    if (count > FILTER_CHILDREN)
        return fail(why, UF_EFORMAT, "is damaged: it has %llu filters inside", (unsigned long long)count);
    int status = UF_OK;
    while (status == UF_OK && filter->children < count) {
        uf_filter *child = NULL;
        status = read_child(filter, reader, ctx, &child, why);
        if (child)
            filter->child[filter->children++] = child;
    }
    if (status == UF_OK)
        status = sum_words(filter, why);
    return status == UF_OK ? filter->ops->adopt(filter, why) : status;
}

/* ---- the rest ---- */

static int zero_to_line(const uint64_t *words, size_t used)
{
    for (size_t i = used; i < whole_lines(used); i++)
        if (words[i])
            return 0;
    return 1;
}

int family_check(const uf_filter *filter, uf_error *why)
{
    int zero = zero_to_line(filter->words, filter->own_words), status = UF_OK;
    for (unsigned i = 0; i < filter->children; i++)
        zero &= zero_to_line(filter->child[i]->words, filter->child[i]->word_count);
    if (!zero)
        return fail(why, UF_EFORMAT, "is damaged: there is something between its parts");
    for (unsigned i = 0; status == UF_OK && i < filter->children; i++)
        if (filter->child[i]->ops->check)
            status = filter->child[i]->ops->check(filter->child[i], why);
    return status;
}

void family_free(uf_filter *filter)
{
    for (unsigned i = 0; i < filter->children; i++) {
        struct mem mem = filter->child[i]->mem;
        mem_free(&mem, filter->child[i], 1, sizeof *filter->child[i]);
    }
}
