/* SPDX-License-Identifier: MIT */
#include "payload.h"

#include <string.h>

#include "bits.h"
#include "status.h"

enum { PART_ALIGN = 64 };

static void add_part(const uf_filter *filter, struct payload *payload)
{
    uint64_t bytes = (uint64_t)filter->word_count * 8;
    if (bytes) {
        uint64_t at = (payload->bytes + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
        /* Whoever has only a const filter reads no more than that. */
        payload->part[payload->parts++] = (struct payload_part){(uf_filter *)(uintptr_t)filter, at, bytes};
        payload->bytes = at + bytes;
    }
    for (unsigned i = 0; i < filter->children; i++)
        add_part(filter->child[i], payload);
}

void payload_of(const uf_filter *filter, struct payload *out)
{
    out->bytes = 0;
    out->parts = 0;
    add_part(filter, out);
}

uint64_t payload_bytes(const uf_filter *filter)
{
    struct payload payload;
    payload_of(filter, &payload);
    return payload.bytes;
}

int payload_allocate(const struct payload *payload, uf_error *why)
{
    for (unsigned i = 0; i < payload->parts; i++) {
        uf_filter *filter = payload->part[i].filter;
        filter->words = mem_alloc_dirty(&filter->mem, filter->word_count, sizeof *filter->words);
        if (!filter->words)
            return fail(why, UF_ENOMEM, "no memory for a filter of %zu bytes", filter->word_count * sizeof(uint64_t));
    }
    return UF_OK;
}

void *payload_direct(const struct payload *payload, uint64_t at, size_t bytes)
{
    for (unsigned i = 0; i < payload->parts; i++) {
        const struct payload_part *part = &payload->part[i];
        if (at >= part->at && at - part->at <= part->bytes && bytes <= part->bytes - (at - part->at))
            return (unsigned char *)part->filter->words + (size_t)(at - part->at);
    }
    return NULL;
}

/* The bytes that a part has within a run: offset in the part, offset in the run, how many. */
struct overlap {
    size_t in_part, in_run, bytes;
};

static struct overlap overlap_of(const struct payload_part *part, uint64_t at, size_t bytes)
{
    uint64_t from = at > part->at ? at : part->at;
    uint64_t end = at + bytes < part->at + part->bytes ? at + bytes : part->at + part->bytes;
    if (from >= end)
        return (struct overlap){0, 0, 0};
    return (struct overlap){(size_t)(from - part->at), (size_t)(from - at), (size_t)(end - from)};
}

/* Parts start and end at whole words. */
void payload_gather(const struct payload *payload, uint64_t at, size_t bytes, uint64_t *out)
{
    memset(out, 0, bytes);
    for (unsigned i = 0; i < payload->parts; i++) {
        const uf_filter *filter = payload->part[i].filter;
        struct overlap both = overlap_of(&payload->part[i], at, bytes);
        const uint64_t *from = filter->words + both.in_part / 8;
        if (both.bytes && filter->shared)
            bits_copy_shared(out + both.in_run / 8, from, both.bytes / 8);
        else if (both.bytes)
            memcpy(out + both.in_run / 8, from, both.bytes);
    }
}

static int is_zero(const unsigned char *bytes, size_t count)
{
    unsigned char any = 0;
    for (size_t i = 0; i < count; i++)
        any |= bytes[i];
    return !any;
}

int payload_scatter(const struct payload *payload, uint64_t at, size_t bytes, const unsigned char *in)
{
    size_t done = 0;
    for (unsigned i = 0; i < payload->parts; i++) {
        struct overlap both = overlap_of(&payload->part[i], at, bytes);
        if (!both.bytes)
            continue;
        if (!is_zero(in + done, both.in_run - done))
            return 0;
        memcpy((unsigned char *)payload->part[i].filter->words + both.in_part, in + both.in_run, both.bytes);
        done = both.in_run + both.bytes;
    }
    return is_zero(in + done, bytes - done);
}

int payload_map(const struct payload *payload, void *map, unsigned char *start)
{
    uint64_t done = 0;
    for (unsigned i = 0; i < payload->parts; i++) {
        const struct payload_part *part = &payload->part[i];
        if (!is_zero(start + done, (size_t)(part->at - done)))
            return 0;
        part->filter->map = map;
        part->filter->words = (void *)(start + part->at);
        done = part->at + part->bytes;
    }
    return 1;
}
