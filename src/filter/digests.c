/* SPDX-License-Identifier: MIT */
/* Digests of keys: the 128 bits that a filter makes of a key, as bytes, and queries by them. Changes by digests are in
 * changes.c. */
#include "filter.h"
#include "locked.h"
#include "status.h"

static int check_digests(const uf_filter *filter, uf_error *why)
{
    if (filter->ops->query_keys)
        return fail(why, UF_EUNSUPPORTED,
                    "a %s filter looks at the keys themselves and has no digests of them: give it the keys",
                    filter->ops->name);
    return UF_OK;
}

int uf_digest_many(const uf_filter *filter, const uf_key *keys, size_t count, uf_digest *digests, uf_error *why)
{
    enum { CAPACITY = 64 };
    struct hash128 hash[CAPACITY];
    error_clear(why);
    int status = check_digests(filter, why);
    if (status == UF_OK && filter->locked)
        status = locked_refuse(filter, why);
    if (status != UF_OK)
        return status;
    struct hash_source source = source_of_keys(&filter->hasher, keys);
    for (size_t done = 0, step; done < count; done += step) {
        step = count - done < CAPACITY ? count - done : CAPACITY;
        source.fill(&source, hash, step);
        for (size_t i = 0; i < step; i++)
            hash_bytes(hash[i], digests[done + i].bytes);
    }
    return UF_OK;
}

/* Hashes are at hand, so that the key is not needed: with the calls of the kind, in a handle that nobody else sees. */
static void query_locked(const uf_filter *filter, const uf_digest *digests, size_t count, uint8_t *answers)
{
    struct hash_source source = source_of_digests(digests);
    uf_filter open = *filter;
    open.locked = 0;
    filter_bind(&open);
    open.calls.query_many(&open, &source, count, answers);
}

int uf_query_digests(const uf_filter *filter, const uf_digest *digests, size_t count, uint8_t *answers, uf_error *why)
{
    error_clear(why);
    int status = check_digests(filter, why);
    if (status != UF_OK)
        return status;
    if (filter->locked) {
        query_locked(filter, digests, count, answers);
        return UF_OK;
    }
    if (count == 1) {
        answers[0] = (uint8_t)filter->calls.query(filter, hash_of_bytes(digests->bytes));
        return UF_OK;
    }
    struct hash_source source = source_of_digests(digests);
    filter->calls.query_many(filter, &source, count, answers);
    return UF_OK;
}
