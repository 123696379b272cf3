/* SPDX-License-Identifier: MIT */
/* Filters to bytes: header, payload, one checksum per 64 KiB of it. One pass over the payload. */
#include "bits.h"
#include "checksum.h"
#include "dcso.h"
#include "file.h"
#include "header.h"
#include "payload.h"
#include "status.h"

struct sink {
    int (*write)(void *arg, const void *data, size_t bytes);
    void *arg;
};

/* One chunk in file order, and its checksum as 8 bytes. */
static int write_chunk(const struct payload *payload, size_t chunk, const struct sink *sink, struct writer *sums)
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
    return sink->write(sink->arg, words, bytes) ? UF_EIO : UF_OK;
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
    int status = sink->write(sink->arg, page, sizeof page) ? UF_EIO : UF_OK;
    for (size_t i = 0; status == UF_OK && i < chunks; i++)
        status = write_chunk(&payload, i, sink, &sums);
    write_uint(&sums, checksum(table, 8 * chunks, chunks), 8);
    if (status == UF_OK)
        status = sink->write(sink->arg, table, table_bytes) ? UF_EIO : UF_OK;
    mem_free(&filter->mem, table, table_bytes, 1);
    return status;
}

int uf_write(const uf_filter *filter, unsigned how, int (*sink)(void *arg, const void *data, size_t bytes), void *arg,
             uf_error *why)
{
    struct sink to = {sink, arg};
    fail(why, UF_EIO, "the writer stopped");
    switch (how) {
    case UF_FORMAT_UF:
        return write_uf(filter, &to, why);
    case UF_FORMAT_DCSO:
        if (is_released(filter))
            return fail(why, UF_EUNSUPPORTED, "was released, which the DCSO format cannot say: save it as .uf");
        return dcso_write(filter, sink, arg, why);
    default:
        return fail(why, UF_EINVAL, "there is no way %u to save", how);
    }
}

struct saving {
    const uf_filter *filter;
    unsigned how;
    struct file_writer *writer;
    uf_error *why;
};

static int write_piece(void *arg, const void *data, size_t bytes)
{
    const struct saving *saving = arg;
    return file_write(saving->writer, data, bytes, saving->why);
}

static int write_filter(void *arg, struct file_writer *writer, uf_error *why)
{
    struct saving *saving = arg;
    saving->writer = writer;
    saving->why = why;
    return uf_write(saving->filter, saving->how, write_piece, saving, why);
}

int uf_save(const uf_filter *filter, const char *path, unsigned how, uf_error *why)
{
    struct saving saving = {.filter = filter, .how = how};
    return file_replace(path, FILE_REPLACE, write_filter, &saving, why);
}
