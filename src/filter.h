/* SPDX-License-Identifier: MIT */
/* What the files of this folder share: the table of kinds, contexts, handles. */
#ifndef UF_FILTER_H
#define UF_FILTER_H

#include "kind.h"
#include "payload.h"

const struct filter_ops *kind_by_name(const char *name); /* NULL when there is none */
const struct filter_ops *kind_by_id(uint64_t id);

/* Parses a spec and checks its kind and names. */
int spec_read(const char *text, struct spec *out, const struct filter_ops **ops, uf_error *why);

/* ops->plan, for the whole of a filter that grows. */
int spec_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why);

/* The caller's context with every default filled in; cpu becomes a path this machine has. */
int context_read(const uf_context *given, uf_context *out, uf_error *why);

/* An empty handle of a kind. Freed with uf_free. */
int filter_new(const struct filter_ops *ops, const uf_context *ctx, uf_filter **out, uf_error *why);

/* Zeroed words for the params it has. */
int filter_allocate(uf_filter *filter, uf_error *why);

/* Puts a filter inside another, as its last child, which then owns it. On failure the caller still does. Fill inner
 * filters first: the limit of FILTER_MOST_NODES is checked here. */
int filter_add_child(uf_filter *filter, uf_filter *child, uf_error *why);

/* The seed that a secret gives to filters of this spec: repeatable, for those that must be. */
uint64_t seed_from_secret(const struct filter_ops *ops, const struct spec *spec, const uf_secret *secret);

/* The spec, with n = count when it says neither n nor bits. */
int spec_with_count(const uf_spec *want, uint64_t count, uf_spec *out, uf_error *why);

/* What a release changes of a filter's figures and claim (released.c). */
void released_info(const uf_filter *filter, uf_info *out);
void released_claim(const uf_filter *filter, uf_claim *out);

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

/* Saves and loads go by whole chunks of the payload (docs/format.md). */
enum { HEADER_BYTES = 4096, CHUNK_BYTES = 65536 };

static inline size_t chunk_count(uint64_t payload)
{
    return (size_t)((payload + CHUNK_BYTES - 1) / CHUNK_BYTES);
}

static inline size_t chunk_size(uint64_t payload, size_t chunk)
{
    uint64_t left = payload - (uint64_t)chunk * CHUNK_BYTES;
    return left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
}

/* Header, payload, one checksum per chunk, a checksum of those. */
static inline uint64_t file_bytes_of(uint64_t payload)
{
    return HEADER_BYTES + payload + 8 * (uint64_t)chunk_count(payload) + 8;
}

/* Of the bytes of its .uf file. */
int filter_digest(const uf_filter *filter, unsigned char out[32], uf_error *why);

/* UF_EUNSUPPORTED: so many filters inside have no room in it. */
int header_write(const uf_filter *filter, unsigned char page[HEADER_BYTES]);

/* Makes a handle with params, word_count and children from a header, or says what is wrong with it. */
int header_read(const unsigned char page[HEADER_BYTES], uint64_t file_bytes, const uf_context *ctx, uf_filter **out,
                uf_error *why);

#endif
