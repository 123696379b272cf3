/* SPDX-License-Identifier: MIT */
#include "locked.h"

#include <string.h>

#include "context.h"
#include "keying.h"
#include "status.h"

/* ---- what stands in for a PRF, so that hashing is harmless ---- */

static struct hash128 no_hash(const struct prf_key *key, uf_key data)
{
    (void)key, (void)data;
    return (struct hash128){0, 0};
}

static void no_hashes(const struct prf_key *key, const uf_key *keys, size_t count, struct hash128 *out)
{
    (void)key, (void)keys;
    memset(out, 0, count * sizeof *out);
}

static void no_fixed_hashes(const struct prf_key *key, const void *keys, size_t width, size_t count,
                            struct hash128 *out)
{
    (void)key, (void)keys, (void)width;
    memset(out, 0, count * sizeof *out);
}

static const struct prf_calls no_prf = {no_hash, no_hashes, no_fixed_hashes};

static void forget(uf_filter *filter)
{
    if (is_keyed(filter)) {
        explicit_bzero(&filter->hasher.prf, sizeof filter->hasher.prf);
        filter->hasher.prf.calls = &no_prf;
    }
    for (unsigned i = 0; i < filter->children; i++)
        forget(filter->child[i]);
}

/* ---- answers ---- */

static int maybe(const struct uf_filter *filter, struct hash128 hash)
{
    (void)filter, (void)hash;
    return 1;
}

static void maybe_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    (void)filter, (void)source;
    memset(answers, 1, count);
}

void locked_bind(uf_filter *filter)
{
    if (!filter->locked)
        return;
    filter->calls = (struct filter_calls){.query = maybe, .query_many = maybe_many};
    filter_bind_query(filter);
}

void locked_start(uf_filter *filter)
{
    forget(filter);
    filter->locked = is_keyed(filter) || (filter->ops->needs && filter->ops->needs(filter));
    locked_bind(filter);
}

static int give_keys(uf_filter *filter, const uf_context *ctx, uf_error *why)
{
    int status =
        is_keyed(filter) ? keying_unlock(&filter->hasher, ctx->cpu, keying_find(&filter->hasher, ctx), why) : UF_OK;
    for (unsigned i = 0; status == UF_OK && i < filter->children; i++)
        status = give_keys(filter->child[i], ctx, why);
    return status;
}

int locked_end(uf_filter *filter, const uf_context *ctx, uf_error *why)
{
    int status = give_keys(filter, ctx, why);
    if (status != UF_OK) {
        forget(filter);
        return status;
    }
    filter->locked = 0;
    filter_bind(filter);
    return UF_OK;
}

int locked_refuse(const uf_filter *filter, uf_error *why)
{
    char id[17];
    if (!is_keyed(filter))
        return fail(why, UF_EINVAL, "the filter is locked: give the function that scored its keys to uf_unlock first");
    keying_id_text(&filter->hasher.stamp, id);
    return fail(why, UF_EKEY, "the filter is locked: give the key with the id %s to uf_unlock first", id);
}

int uf_is_locked(const uf_filter *filter)
{
    return filter->locked;
}

int uf_unlock(uf_filter *filter, const uf_context *given, uf_error *why)
{
    uf_context ctx;
    error_clear(why);
    if (!filter)
        return fail(why, UF_EINVAL, "no filter was given");
    if (!filter->locked)
        return UF_OK;
    int status = context_read(given, &ctx, why);
    if (status != UF_OK)
        return status;
    uf_error inner = {0, 0, ""};
    if (filter->ops->attach)
        status = filter->ops->attach(filter, &ctx, &inner);
    if (status == UF_OK)
        status = locked_end(filter, &ctx, &inner);
    return status == UF_OK ? UF_OK : fail(why, status, "the filter %s", inner.text);
}
