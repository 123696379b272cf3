/* SPDX-License-Identifier: MIT */
/* Sizes: what can be said of a filter from its header alone, without looking at its words. */
#include "sizes.h"

#include "capacity.h"
#include "compact.h"
#include "keying.h"
#include "payload.h"
#include "sized.h"
#include "status.h"
#include "subject.h"

static uint64_t memory_of(const uf_filter *filter)
{
    uint64_t bytes =
        sizeof *filter + filter->ops->tail_bytes + filter->children * sizeof filter->child[0] + filter->attached_bytes;
    if (!filter->map)
        bytes += (uint64_t)filter->word_count * sizeof *filter->words;
    for (unsigned i = 0; i < filter->children; i++)
        bytes += memory_of(filter->child[i]);
    return bytes;
}

static uint64_t capacity_of(const uf_filter *filter)
{
    struct planned planned;
    uint64_t sum = 0;
    if (is_released(filter))
        return 0; /* it would tell how many keys there are */
    if (!filter->ops->series) {
        filter->ops->capacity(filter, &planned);
        return planned.n;
    }
    for (unsigned i = 0; i < filter->children; i++)
        sum += capacity_of(filter->child[i]);
    return sum;
}

void sizes_of(const uf_filter *filter, uf_sizes *out)
{
    uint64_t payload = payload_bytes(filter);
    *out = (uf_sizes){.memory_bytes = memory_of(filter),
                      .file_bytes = file_bytes_of(payload),
                      .payload_bytes = payload,
                      .capacity = capacity_of(filter),
                      .levels = filter->ops->grow ? filter->children : 1};
}

int uf_get_sizes(const uf_filter *filter, uf_sizes *out, size_t size)
{
    uf_sizes sizes;
    if (!filter || !out)
        return UF_EINVAL;
    sizes_of(filter, &sizes);
    return sized_write(&sizes, sizeof sizes, out, size);
}

/* ---- of a file ---- */

static void header_of(const uf_filter *filter, uint64_t file_bytes, uf_header *out)
{
    *out = (uf_header){.kind = filter->ops->series ? filter->child[0]->ops->name : filter->ops->name,
                       .file_bytes = file_bytes,
                       .memory_bytes = memory_of(filter),
                       .keyed = is_keyed(filter)};
    uf_get_key_id(filter, out->key_id);
}

/* The header in either form, and how long the file is. */
static int read_start(const unsigned char *data, size_t bytes, struct file_start *start, uint64_t *file_bytes,
                      uf_error *why)
{
    size_t needed = HEADER_BYTES;
    int status = bytes < COMPACT_LEAST ? UF_OK : start_size(data, &needed, why);
    if (status == UF_OK && bytes < needed)
        return fail(why, UF_EFORMAT, "is too short: a header has %zu bytes, and there are %zu", needed, bytes);
    if (status == UF_OK)
        status = start_read(data, needed, start, why);
    return status == UF_OK ? start_file_bytes(start, file_bytes, why) : status;
}

int uf_read_header(const void *data, size_t bytes, uf_header *out, size_t size, uf_error *why)
{
    const uf_context ctx = UF_CONTEXT_INIT;
    struct file_start start;
    uf_filter *filter = NULL;
    uf_header header;
    uint64_t file_bytes;
    error_clear(why);
    if (!out || (!data && bytes))
        return fail(why, UF_EINVAL, "no bytes or no place for the header was given");
    int status = read_start(data, bytes, &start, &file_bytes, why);
    if (status == UF_OK)
        status = header_read(start.page, start_full_bytes(&start, file_bytes), &ctx, &filter, why);
    if (status != UF_OK)
        return subject_bytes(status, why);
    header_of(filter, file_bytes, &header);
    uf_free(filter);
    status = sized_write(&header, sizeof header, out, size);
    return status == UF_OK ? UF_OK
                           : fail(why, status, "a header of %zu bytes was given: its size is sizeof(uf_header)", size);
}
