/* SPDX-License-Identifier: MIT */
/* Filters to bytes: header, whole or packed, payload, one checksum per 64 KiB of it. One pass over the payload. */
#include "bits.h"
#include "checksum.h"
#include "compact.h"
#include "dcso.h"
#include "file.h"
#include "payload.h"
#include "status.h"
#include "subject.h"

/* The caller's callback, and what it said. */
struct sink {
    int (*write)(void *arg, const void *data, size_t bytes);
    void *arg;
    struct progress progress;
    uf_error *why;
};

static int emit(struct sink *sink, const void *data, size_t bytes)
{
    int reason = sink->write(sink->arg, data, bytes);
    return reason ? fail_because(sink->why, UF_EIO, reason, "the callback that takes the bytes returned %d", reason)
                  : UF_OK;
}

static int tell(struct sink *sink, uint64_t bytes)
{
    return progress_add(&sink->progress, bytes) == UF_OK ? UF_OK : progress_stopped(&sink->progress, sink->why);
}

/* One chunk in file order, and its checksum as 8 bytes. Of a filter that threads share, a copy that stays as it is
 * while it is summed up and written. */
static int write_chunk(const struct payload *payload, int shared, size_t chunk, struct sink *sink, struct writer *sums)
{
    uint64_t copy[CHUNK_BYTES / 8], at = (uint64_t)chunk * CHUNK_BYTES;
    size_t bytes = chunk_size(payload->bytes, chunk);
    const void *words = payload_direct(payload, at, bytes);
    if (!words || shared || bits_need_swap()) {
        payload_gather(payload, at, bytes, copy);
        bits_swap(copy, bytes / 8);
        words = copy;
    }
    write_uint(sums, checksum(words, bytes, chunk), 8);
    int status = emit(sink, words, bytes);
    return status == UF_OK ? tell(sink, bytes) : status;
}

static int emit_header(const unsigned char page[HEADER_BYTES], unsigned how, struct sink *sink)
{
    unsigned char packed[COMPACT_MOST];
    return how == UF_FORMAT_COMPACT ? emit(sink, packed, compact_write(page, packed)) : emit(sink, page, HEADER_BYTES);
}

static int write_uf(const uf_filter *filter, unsigned how, struct sink *sink, uf_error *why)
{
    unsigned char page[HEADER_BYTES];
    struct payload payload;
    payload_of(filter, &payload);
    size_t chunks = chunk_count(payload.bytes), table_bytes = 8 * chunks + 8;
    if (filter->attached_bytes)
        return fail(
            why, UF_EUNSUPPORTED,
            "cannot be an UltraFilter file: the filter carries %zu bytes of attached data, which only the DCSO format "
            "can keep",
            filter->attached_bytes);
    if (header_write(filter, page) != UF_OK)
        return fail(why, UF_EUNSUPPORTED,
                    "cannot be an UltraFilter file: the filter has more filters inside than a header can describe");
    unsigned char *table = mem_alloc(&filter->mem, table_bytes, 1);
    if (!table)
        return fail(why, UF_ENOMEM, "no memory for %zu checksums", chunks);
    struct writer sums = {table, table_bytes, 0};
    int status = emit_header(page, how, sink);
    for (size_t i = 0; status == UF_OK && i < chunks; i++)
        status = write_chunk(&payload, filter->shared, i, sink, &sums);
    write_uint(&sums, checksum(table, 8 * chunks, chunks), 8);
    if (status == UF_OK)
        status = emit(sink, table, table_bytes);
    mem_free(&filter->mem, table, table_bytes, 1);
    return status;
}

static int put_dcso(void *arg, const void *data, size_t bytes)
{
    struct sink *sink = arg;
    int status = emit(sink, data, bytes);
    return status == UF_OK ? tell(sink, bytes) : status;
}

/* Errors are about the filter, and do not name what is written. */
static int write_filter(const uf_filter *filter, unsigned how, struct sink *to, uf_error *why)
{
    switch (how) {
    case UF_FORMAT_UF:
    case UF_FORMAT_COMPACT:
        return write_uf(filter, how, to, why);
    case UF_FORMAT_DCSO:
        if (is_released(filter))
            return fail(why, UF_EUNSUPPORTED,
                        "cannot be a DCSO file: the filter was released, which that format cannot say; save it as .uf");
        if (filter->normal & (UF_NORMAL_LOWERCASE | UF_NORMAL_TRIM))
            return fail(
                why, UF_EUNSUPPORTED,
                "cannot be a DCSO file: its keys were normalised, which that format cannot say; save it as .uf");
        return dcso_write(filter, put_dcso, to, why);
    default:
        return fail(why, UF_EINVAL, "there is no way %u to save", how);
    }
}

/* All that progress is told of. */
static uint64_t bytes_told(const uf_filter *filter, unsigned how)
{
    return payload_bytes(filter) + (how == UF_FORMAT_DCSO ? DCSO_HEAD + filter->attached_bytes : 0);
}

static int write_to(const uf_filter *filter, unsigned how, int (*sink)(void *arg, const void *data, size_t bytes),
                    void *arg, uf_error *why)
{
    struct sink to = {.write = sink, .arg = arg, .why = why};
    filter_progress(filter, bytes_told(filter, how), &to.progress);
    int status = write_filter(filter, how, &to, why);
    progress_end(&to.progress);
    return status;
}

int uf_write(const uf_filter *filter, unsigned how, int (*sink)(void *arg, const void *data, size_t bytes), void *arg,
             uf_error *why)
{
    error_clear(why);
    if (!filter || !sink)
        return fail(why, UF_EINVAL, "no filter or no function to write to was given");
    int status = write_to(filter, how, sink, arg, why);
    return subject_file(status, "this filter", why);
}

/* ---- files ---- */

struct saving {
    const uf_filter *filter;
    unsigned how;
    struct file_writer *writer;
    uf_error why; /* what the system said */
};

static int write_piece(void *arg, const void *data, size_t bytes)
{
    struct saving *saving = arg;
    return file_write(saving->writer, data, bytes, &saving->why);
}

static int write_file(void *arg, struct file_writer *writer, uf_error *why)
{
    struct saving *saving = arg;
    saving->writer = writer;
    int status = write_to(saving->filter, saving->how, write_piece, saving, why);
    if (saving->why.status != UF_OK && why)
        *why = saving->why;
    return saving->why.status != UF_OK ? saving->why.status : status;
}

int uf_save(const uf_filter *filter, const char *path, unsigned how, uf_error *why)
{
    struct saving saving = {.filter = filter, .how = how, .why = {0, 0, ""}};
    error_clear(why);
    if (!filter || !path)
        return fail(why, UF_EINVAL, "no filter or no path was given");
    return subject_file(file_replace(path, FILE_REPLACE, write_file, &saving, why), path, why);
}
