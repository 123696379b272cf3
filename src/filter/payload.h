/* SPDX-License-Identifier: MIT */
/*
 * The words of a filter and of all filters inside it, as the one run of bytes that they are in a file: a filter before
 * its children, each on a multiple of 64 bytes, zeros between them (docs/format.md#filters-inside-filters).
 */
#ifndef UF_PAYLOAD_H
#define UF_PAYLOAD_H

#include "filter.h"

struct payload {
    uint64_t bytes;
    unsigned parts;
    struct payload_part {
        uf_filter *filter;
        uint64_t at, bytes;
    } part[FILTER_MOST_NODES];
};

/* Borrows the filter. */
void payload_of(const uf_filter *filter, struct payload *out);
uint64_t payload_bytes(const uf_filter *filter);

/* Words for every part, with anything in them. */
int payload_allocate(const struct payload *payload, uf_error *why);

/* The bytes themselves, when they lie in one part; otherwise NULL. */
void *payload_direct(const struct payload *payload, uint64_t at, size_t bytes);

/* Copies, across parts. `at` and `bytes` are multiples of 8 where bytes are gathered, which may be done while threads
 * insert. `payload_scatter` returns 0 when bytes between parts are not zero. */
void payload_gather(const struct payload *payload, uint64_t at, size_t bytes, uint64_t *out);
int payload_scatter(const struct payload *payload, uint64_t at, size_t bytes, const unsigned char *in);

/* Points the words of every part into a mapped payload. Returns 0 when bytes between parts are not zero. */
int payload_map(const struct payload *payload, void *map, unsigned char *start);

#endif
