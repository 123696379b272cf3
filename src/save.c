/* SPDX-License-Identifier: MIT */
/* Filters to bytes: header, payload, one checksum per 64 KiB of it. One pass over the payload. */
#include "filter.h"

#include <string.h>

#include "bits.h"
#include "file.h"
#include "status.h"

struct sink {
    int (*put)(void *arg, const void *data, size_t bytes);
    void *arg;
};

/* One chunk in file order, and its checksum as 8 bytes. */
static int put_chunk(const struct payload *payload, size_t chunk, const struct sink *sink, struct writer *sums)
{
    uint64_t copy[CHUNK_BYTES / 8], at = (uint64_t)chunk * CHUNK_BYTES;
    size_t bytes = chunk_size(payload->bytes, chunk);
    const void *words = payload_direct(payload, at, bytes);
    if (!words || bits_need_swap()) {
        payload_gather(payload, at, bytes, (unsigned char *)copy);
        bits_swap(copy, bytes / 8);
        words = copy;
    }
    write_uint(sums, checksum(words, bytes, chunk), 8);
    return sink->put(sink->arg, words, bytes) ? UF_EIO : UF_OK;
}

static int write_uf(const uf_filter *filter, const struct sink *sink, uf_error *why)
{
    unsigned char page[HEADER_BYTES];
    struct payload payload;
    payload_of(filter, &payload);
    size_t chunks = chunk_count(payload.bytes), table_bytes = 8 * chunks + 8;
    if (filter->attached_bytes)
        return fail(why, UF_EUNSUPPORTED, "carries %zu bytes of attached data, which only the DCSO format can keep",
                    filter->attached_bytes);
    if (header_write(filter, page) != UF_OK)
        return fail(why, UF_EUNSUPPORTED, "has more filters inside than a file can describe");
    unsigned char *table = mem_alloc(&filter->mem, table_bytes, 1);
    if (!table)
        return fail(why, UF_ENOMEM, "no memory for %zu checksums", chunks);
    struct writer sums = {table, table_bytes, 0};
    int status = sink->put(sink->arg, page, sizeof page) ? UF_EIO : UF_OK;
    for (size_t i = 0; status == UF_OK && i < chunks; i++)
        status = put_chunk(&payload, i, sink, &sums);
    write_uint(&sums, checksum(table, 8 * chunks, chunks), 8);
    if (status == UF_OK)
        status = sink->put(sink->arg, table, table_bytes) ? UF_EIO : UF_OK;
    mem_free(&filter->mem, table, table_bytes, 1);
    return status;
}

int uf_write(const uf_filter *filter, unsigned how, int (*put)(void *arg, const void *data, size_t bytes), void *arg,
             uf_error *why)
{
    struct sink sink = {put, arg};
    fail(why, UF_EIO, "the writer stopped");
    switch (how) {
    case UF_FORMAT_UF:
        return write_uf(filter, &sink, why);
    case UF_FORMAT_DCSO:
        if (is_released(filter))
            return fail(why, UF_EUNSUPPORTED, "was released, which the DCSO format cannot say: save it as .uf");
        return dcso_write(filter, put, arg, why);
    default:
        return fail(why, UF_EINVAL, "there is no way %u to save", how);
    }
}

struct saving {
    struct file_writer file;
    uf_error *why;
};

static int put_file(void *arg, const void *data, size_t bytes)
{
    struct saving *saving = arg;
    return file_put(&saving->file, data, bytes, saving->why);
}

int uf_save(const uf_filter *filter, const char *path, unsigned how, uf_error *why)
{
    struct saving saving = {.why = why};
    int status = file_create(&saving.file, path, why);
    if (status != UF_OK)
        return status;
    status = uf_write(filter, how, put_file, &saving, why);
    if (status == UF_OK)
        return file_commit(&saving.file, why);
    file_abandon(&saving.file);
    return status;
}
