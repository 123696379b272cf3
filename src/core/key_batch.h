/* SPDX-License-Identifier: MIT */
/*
 * Keys as callers hand them in, in one of three shapes: an array of uf_key, keys of one width back to back, or a column
 * of bytes and offsets, as Apache Arrow lays out strings:
 *
 *     key i = bytes[offset i .. offset i + 1)       count + 1 offsets of 4 or 8 bytes, signed, in any alignment
 */
#ifndef UF_KEY_BATCH_H
#define UF_KEY_BATCH_H

#include <string.h>

#include "ultrafilter.h"

enum key_shape { KEYS_ARRAY, KEYS_FIXED, KEYS_OFFSETS };

struct key_batch {
    enum key_shape shape;
    const void *at;             /* the array, the bytes of keys of one width, or the offsets */
    size_t width;               /* of such a key, or of an offset */
    const unsigned char *bytes; /* what offsets count in */
};

static inline struct key_batch batch_of_keys(const uf_key *keys)
{
    return (struct key_batch){KEYS_ARRAY, keys, 0, NULL};
}

static inline struct key_batch batch_of_fixed(const void *keys, size_t key_bytes)
{
    return (struct key_batch){KEYS_FIXED, keys, key_bytes, NULL};
}

/* Checks all of them: UF_EINVAL when one is negative or smaller than the one before it. */
int batch_of_offsets(const void *bytes, const void *offsets, int offset_bytes, size_t count, struct key_batch *out,
                     uf_error *why);

/* An offset that was checked. */
static inline size_t offset_read(const void *at, size_t width)
{
    uint32_t narrow;
    uint64_t wide;
    if (width == sizeof narrow) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return (size_t)wide;
}

/* One of them. Where the shape is a constant, without a choice. */
static inline __attribute__((always_inline)) uf_key batch_key(const struct key_batch *batch, size_t index)
{
    const unsigned char *at = batch->at;
    if (batch->shape == KEYS_ARRAY)
        return ((const uf_key *)batch->at)[index];
    if (batch->shape == KEYS_FIXED)
        return (uf_key){at + index * batch->width, batch->width};
    size_t start = offset_read(at + index * batch->width, batch->width);
    return (uf_key){batch->bytes + start, offset_read(at + (index + 1) * batch->width, batch->width) - start};
}

/* Keys `from` to from + count - 1, as an array. */
void batch_copy(const struct key_batch *batch, size_t from, size_t count, uf_key *out);

/* The batch without its first `count` keys. */
struct key_batch batch_after(const struct key_batch *batch, size_t count);

#endif
