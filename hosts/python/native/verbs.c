/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include <stdio.h>
#include <string.h>

enum { SLICE = 1024 };

static int fallen(uf_error *why)
{
    if (!why->text[0])
        (void)snprintf(why->text, sizeof why->text, "the offsets of this Arrow array fall: it is damaged");
    return why->status = UF_EINVAL;
}

int verb_query(uf_filter *filter, const struct piece *piece, void *out, uf_error *why)
{
    switch (piece->shape) {
    case SHAPE_KEYS:
        uf_query_many(filter, piece->keys, piece->count, out);
        return UF_OK;
    case SHAPE_FIXED:
        uf_query_fixed(filter, piece->bytes, piece->width, piece->count, out);
        return UF_OK;
    default:
        return uf_query_offsets(filter, piece->bytes, piece->offsets, piece->offset_bytes, piece->count, out) == UF_OK
                   ? UF_OK
                   : fallen(why);
    }
}

int verb_add(uf_filter *filter, const struct piece *piece, void *out, uf_error *why)
{
    switch (piece->shape) {
    case SHAPE_KEYS:
        return uf_add_many(filter, piece->keys, piece->count, out, why);
    case SHAPE_FIXED:
        return uf_add_fixed(filter, piece->bytes, piece->width, piece->count, out, why);
    default:
        return uf_add_offsets(filter, piece->bytes, piece->offsets, piece->offset_bytes, piece->count, out, why);
    }
}

int verb_build(uf_builder *builder, const struct piece *piece, uf_error *why)
{
    switch (piece->shape) {
    case SHAPE_KEYS:
        return uf_builder_add(builder, piece->keys, piece->count, why);
    case SHAPE_FIXED:
        return uf_builder_add_fixed(builder, piece->bytes, piece->width, piece->count, why);
    default:
        return uf_builder_add_offsets(builder, piece->bytes, piece->offsets, piece->offset_bytes, piece->count, why);
    }
}

/* ---- calls that take keys only ---- */

static int64_t offset(const struct piece *piece, size_t i)
{
    int32_t narrow;
    int64_t wide;
    const char *at = (const char *)piece->offsets + i * (size_t)piece->offset_bytes;
    if (piece->offset_bytes == 8)
        return memcpy(&wide, at, sizeof wide), wide;
    return memcpy(&narrow, at, sizeof narrow), narrow;
}

static int offsets_rise(const struct piece *piece)
{
    for (size_t i = 0; i < piece->count; i++)
        if (offset(piece, i) < 0 || offset(piece, i + 1) < offset(piece, i))
            return 0;
    return 1;
}

int piece_check(const struct piece *piece, uf_error *why)
{
    return piece->shape == SHAPE_OFFSETS && !offsets_rise(piece) ? fallen(why) : UF_OK;
}

uf_key piece_key(const struct piece *piece, size_t i)
{
    const char *bytes = piece->bytes;
    if (piece->shape == SHAPE_KEYS)
        return piece->keys[i];
    if (piece->shape == SHAPE_FIXED)
        return (uf_key){bytes + i * piece->width, piece->width};
    return (uf_key){bytes + offset(piece, i), (size_t)(offset(piece, i + 1) - offset(piece, i))};
}

/* Some keys from `at` on; how many. */
static size_t slice(const struct piece *piece, size_t at, uf_key keys[SLICE])
{
    size_t left = piece->count - at, count = left < SLICE ? left : SLICE;
    for (size_t i = 0; i < count; i++)
        keys[i] = piece_key(piece, at + i);
    return count;
}

/* The first refusal counts, the others are tried all the same. */
int verb_remove(uf_filter *filter, const struct piece *piece, void *out, uf_error *why)
{
    uf_key keys[SLICE];
    uf_error now;
    int first = UF_OK;
    if (piece_check(piece, why) != UF_OK)
        return UF_EINVAL;
    for (size_t at = 0, count; at < piece->count; at += count) {
        count = slice(piece, at, keys);
        int status = uf_remove_many(filter, keys, count, (uint8_t *)out + at, &now);
        if (status != UF_OK && first == UF_OK) {
            first = status;
            *why = now;
        }
    }
    return first;
}

int verb_collect(uf_set *set, const struct piece *piece, uf_error *why)
{
    uf_key keys[SLICE];
    int status = UF_OK;
    if (piece_check(piece, why) != UF_OK)
        return UF_EINVAL;
    for (size_t at = 0, count; status == UF_OK && at < piece->count; at += count) {
        count = slice(piece, at, keys);
        status = uf_set_add(set, keys, count, why);
    }
    return status;
}
