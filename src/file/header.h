/* SPDX-License-Identifier: MIT */
/* The header of a .uf file, and the sizes that follow from it (docs/format.md). */
#ifndef UF_HEADER_H
#define UF_HEADER_H

#include "filter.h"

/* What every .uf file begins with. */
#define HEADER_MAGIC "\x89UFL\r\n\x1a\n"

/* Saves and loads go by whole chunks of the payload. */
enum { MAGIC_BYTES = 8, HEADER_BYTES = 4096, CHUNK_BYTES = 65536 };

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

/* UF_EUNSUPPORTED: so many filters inside have no room in it. */
int header_write(const uf_filter *filter, unsigned char page[HEADER_BYTES]);

/* What a header says of the whole file, for whoever does not have that yet. */
int header_file_bytes(const unsigned char page[HEADER_BYTES], uint64_t *out, uf_error *why);

/* Makes a handle with params, word_count and children from a header, or says what is wrong with it. */
int header_read(const unsigned char page[HEADER_BYTES], uint64_t file_bytes, const uf_context *ctx, uf_filter **out,
                uf_error *why);

#endif
