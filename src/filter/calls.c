/* SPDX-License-Identifier: MIT */
/* The public calls that run for every key: queries, inserts, removals, and how they are done. */
#include "capacity.h"
#include "filter.h"
#include "hash_inline.h"

/* ---- queries ---- */

int uf_query(const uf_filter *filter, uf_key key)
{
    if (__builtin_expect(!filter->calls.query, 0))
        return filter->ops->query_key(filter, key);
    return filter->calls.query(filter, hash_any(&filter->hasher, key));
}

void uf_query_many(const uf_filter *filter, const uf_key *keys, size_t count, uint8_t *answers)
{
    if (!filter->calls.query_many) {
        filter->ops->query_keys(filter, keys, count, answers);
        return;
    }
    struct hash_source source = source_of_keys(&filter->hasher, keys);
    filter->calls.query_many(filter, &source, count, answers);
}

/* Keys of one width as keys of any. */
static void query_fixed_keys(const uf_filter *filter, const unsigned char *data, size_t key_bytes, size_t count,
                             uint8_t *answers)
{
    uf_key keys[256];
    for (size_t done = 0; done < count;) {
        size_t step = count - done < 256 ? count - done : 256;
        for (size_t i = 0; i < step; i++)
            keys[i] = (uf_key){data + (done + i) * key_bytes, key_bytes};
        filter->ops->query_keys(filter, keys, step, answers + done);
        done += step;
    }
}

void uf_query_fixed(const uf_filter *filter, const void *keys, size_t key_bytes, size_t count, uint8_t *answers)
{
    if (!filter->calls.query_many) {
        query_fixed_keys(filter, keys, key_bytes, count, answers);
        return;
    }
    struct hash_source source = source_of_fixed(&filter->hasher, keys, key_bytes);
    filter->calls.query_many(filter, &source, count, answers);
}

/* ---- changes ---- */

static int insert(uf_filter *filter, struct hash_source *source, size_t count)
{
    if (filter->locked)
        return UF_EKEY;
    if (!filter->calls.insert_many || is_released(filter))
        return UF_EUNSUPPORTED; /* a key that joins after the noise would be there without any */
    if (filter->map)
        return UF_EREADONLY;
    return capacity_insert(filter, source, count);
}

int uf_insert_many(uf_filter *filter, const uf_key *keys, size_t count)
{
    struct hash_source source = source_of_keys(&filter->hasher, keys);
    return insert(filter, &source, count);
}

int uf_insert_fixed(uf_filter *filter, const void *keys, size_t key_bytes, size_t count)
{
    struct hash_source source = source_of_fixed(&filter->hasher, keys, key_bytes);
    return insert(filter, &source, count);
}

int uf_insert(uf_filter *filter, uf_key key)
{
    return uf_insert_many(filter, &key, 1);
}

enum { REMOVE_BATCH = 256 };

/* Of the keys that were removed, how many are gone: others were in it more than once, or are taken for members. */
static uint64_t count_gone(const uf_filter *filter, const struct hash128 *hash, const signed char *verdict,
                           size_t count)
{
    struct hash_source source = source_of_hashes(hash);
    uint8_t in[REMOVE_BATCH];
    uint64_t gone = 0;
    filter->calls.query_many(filter, &source, count, in);
    for (size_t i = 0; i < count; i++)
        gone += verdict[i] == UF_OK && !in[i];
    return gone;
}

static int remove_keys(uf_filter *filter, struct hash_source *source, size_t count, uint8_t *removed)
{
    signed char verdict[REMOVE_BATCH];
    struct hash128 hash[REMOVE_BATCH];
    int first = UF_OK;
    if (filter->locked)
        return UF_EKEY;
    if (!filter->ops->remove_many || filter->shared || is_released(filter))
        return UF_EUNSUPPORTED;
    if (filter->map)
        return UF_EREADONLY;
    for (size_t done = 0; done < count;) {
        size_t step = count - done < sizeof verdict ? count - done : sizeof verdict;
        source->fill(source, hash, step);
        struct hash_source ready = source_of_hashes(hash);
        filter->ops->remove_many(filter, &ready, step, verdict);
        if (filter->capacity.policy == FULL_REFUSE)
            capacity_removed(filter, count_gone(filter, hash, verdict, step));
        for (size_t i = 0; i < step; i++) {
            first = first == UF_OK ? verdict[i] : first;
            if (removed)
                removed[done + i] = verdict[i] == UF_OK;
        }
        done += step;
    }
    return first;
}

int uf_remove_many(uf_filter *filter, const uf_key *keys, size_t count, uint8_t *removed)
{
    struct hash_source source = source_of_keys(&filter->hasher, keys);
    return remove_keys(filter, &source, count, removed);
}

int uf_remove_fixed(uf_filter *filter, const void *keys, size_t key_bytes, size_t count, uint8_t *removed)
{
    struct hash_source source = source_of_fixed(&filter->hasher, keys, key_bytes);
    return remove_keys(filter, &source, count, removed);
}

int uf_remove(uf_filter *filter, uf_key key)
{
    return uf_remove_many(filter, &key, 1, NULL);
}

int uf_tune(uf_filter *filter, int knob, int value)
{
    if (value != 0 && value != 1)
        return UF_EINVAL;
    switch (knob) {
    case UF_KNOB_SHARED:
        if (value && !filter->ops->insert_shared)
            return UF_EUNSUPPORTED;
        filter->shared = value;
        capacity_doubt(filter);
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
