/* SPDX-License-Identifier: MIT */
/* Queries, and how they are done. Changes are in changes.c. */
#include "capacity.h"
#include "filter.h"

int uf_query(const uf_filter *filter, uf_key key)
{
#if defined(__aarch64__)
    register int (*query)(const uf_filter *, uf_key) __asm__("x16") = filter->query;
    __asm__("" : "+r"(query)); /* from where gcc jumps: no move */
    return query(filter, key);
#else
    return filter->query(filter, key);
#endif
}

int uf_count(const uf_filter *filter, uf_key key)
{
    if (!filter->ops->count)
        return UF_EUNSUPPORTED;
    return filter->locked ? UF_EKEY : (int)filter->ops->count(filter, hash_key(&filter->hasher, key));
}

/* Kinds that look at the keys themselves get them some at a time. */
static void query_keys(const uf_filter *filter, const struct key_batch *batch, size_t count, uint8_t *answers)
{
    enum { CAPACITY = 256 };
    uf_key keys[CAPACITY];
    if (batch->shape == KEYS_ARRAY) {
        filter->ops->query_keys(filter, batch->at, count, answers);
        return;
    }
    for (size_t done = 0, step; done < count; done += step) {
        step = count - done < CAPACITY ? count - done : CAPACITY;
        batch_copy(batch, done, step, keys);
        filter->ops->query_keys(filter, keys, step, answers + done);
    }
}

static void query_batch(const uf_filter *filter, const struct key_batch *batch, size_t count, uint8_t *answers)
{
    if (!filter->calls.query_many) {
        query_keys(filter, batch, count, answers);
        return;
    }
    struct hash_source source = source_of_batch(&filter->hasher, batch);
    filter->calls.query_many(filter, &source, count, answers);
}

void uf_query_many(const uf_filter *filter, const uf_key *keys, size_t count, uint8_t *answers)
{
    struct key_batch batch = batch_of_keys(keys);
    query_batch(filter, &batch, count, answers);
}

void uf_query_fixed(const uf_filter *filter, const void *keys, size_t key_bytes, size_t count, uint8_t *answers)
{
    struct key_batch batch = batch_of_fixed(keys, key_bytes);
    query_batch(filter, &batch, count, answers);
}

int uf_query_offsets(const uf_filter *filter, const void *bytes, const void *offsets, int offset_bytes, size_t count,
                     uint8_t *answers)
{
    struct key_batch batch;
    int status = batch_of_offsets(bytes, offsets, offset_bytes, count, &batch, NULL);
    if (status == UF_OK)
        query_batch(filter, &batch, count, answers);
    return status;
}

int uf_tune(uf_filter *filter, int knob, int value)
{
    if (value != 0 && value != 1)
        return UF_EINVAL;
    switch (knob) {
    case UF_KNOB_SHARED:
        if (value && !filter->ops->add_shared)
            return UF_EUNSUPPORTED;
        capacity_share(filter);
        filter->shared = value;
        filter_ask_first(filter);
        return UF_OK;
    case UF_KNOB_EARLY_EXIT:
        for (unsigned i = 0; i < filter->children; i++)
            (void)uf_tune(filter->child[i], knob, value);
        filter->early_exit = value;
        return UF_OK;
    default:
        return UF_EINVAL;
    }
}
