/* SPDX-License-Identifier: MIT */
#include "key_batch.h"

#include "status.h"

static inline int64_t offset_signed(const unsigned char *at, size_t width)
{
    int32_t narrow;
    int64_t wide;
    if (width == sizeof narrow) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* Without a branch for each, so that the compiler can look at several at once. */
static inline __attribute__((always_inline)) int any_falls(const unsigned char *at, size_t width, size_t count)
{
    int falls = offset_signed(at, width) < 0;
    for (size_t i = 0; i < count; i++)
        falls |= offset_signed(at + (i + 1) * width, width) < offset_signed(at + i * width, width);
    return falls;
}

/* `at` is where one falls. */
static int say_which(const unsigned char *at, size_t width, uf_error *why)
{
    int64_t before = 0, offset = offset_signed(at, width);
    size_t i = 0;
    for (; offset >= before; offset = offset_signed(at + ++i * width, width))
        before = offset;
    if (!i)
        return fail(why, UF_EINVAL, "offset 0 is %lld: offsets start at 0 or above", (long long)offset);
    return fail(why, UF_EINVAL, "offset %zu is %lld, and the one before it %lld: offsets never fall", i,
                (long long)offset, (long long)before);
}

static int check_offsets(const unsigned char *at, size_t width, size_t count, uf_error *why)
{
    if (width == 4 ? any_falls(at, 4, count) : any_falls(at, 8, count))
        return say_which(at, width, why);
    int64_t last = offset_signed(at + count * width, width);
    if ((uint64_t)last > PTRDIFF_MAX)
        return fail(why, UF_EINVAL, "offset %zu is %lld: that is more than this machine's memory", count,
                    (long long)last);
    return UF_OK;
}

int batch_of_offsets(const void *bytes, const void *offsets, int offset_bytes, size_t count, struct key_batch *out,
                     uf_error *why)
{
    size_t width = (size_t)offset_bytes;
    if (offset_bytes != 4 && offset_bytes != 8)
        return fail(why, UF_EINVAL, "offsets of %d bytes are not known: they have 4 or 8", offset_bytes);
    if (!offsets && count)
        return fail(why, UF_EINVAL, "there are %zu keys and no offsets", count);
    if (count > PTRDIFF_MAX / width - 1)
        return fail(why, UF_EINVAL, "%zu keys are more than this machine's memory holds offsets for", count);
    int status = count ? check_offsets(offsets, width, count, why) : UF_OK;
    if (status != UF_OK)
        return status;
    if (count && !bytes && offset_read((const unsigned char *)offsets + count * width, width))
        return fail(why, UF_EINVAL, "there are offsets and no bytes that they count in");
    *out = (struct key_batch){KEYS_OFFSETS, offsets, width, bytes ? bytes : (const void *)""};
    return UF_OK;
}

static void copy_offsets(const struct key_batch *batch, size_t from, size_t count, uf_key *out)
{
    const unsigned char *at = (const unsigned char *)batch->at + from * batch->width;
    size_t start = offset_read(at, batch->width);
    for (size_t i = 0; i < count; i++) {
        size_t end = offset_read(at += batch->width, batch->width);
        out[i] = (uf_key){batch->bytes + start, end - start};
        start = end;
    }
}

void batch_copy(const struct key_batch *batch, size_t from, size_t count, uf_key *out)
{
    if (!count)
        return;
    if (batch->shape == KEYS_ARRAY)
        memcpy(out, (const uf_key *)batch->at + from, count * sizeof *out);
    else if (batch->shape == KEYS_OFFSETS)
        copy_offsets(batch, from, count, out);
    else
        for (size_t i = 0; i < count; i++)
            out[i] = (uf_key){(const unsigned char *)batch->at + (from + i) * batch->width, batch->width};
}

struct key_batch batch_after(const struct key_batch *batch, size_t count)
{
    struct key_batch rest = *batch;
    size_t each = batch->shape == KEYS_ARRAY ? sizeof(uf_key) : batch->width;
    rest.at = (const unsigned char *)batch->at + count * each;
    return rest;
}
