/* SPDX-License-Identifier: MIT */
/*
 * Bytes to filters: validate, then allocate, in one call. A filter is handed out only when its header, every chunk of
 * its payload and everything its kind knows about legal payloads were checked; a mapped one is spared the chunks, which
 * is what mapping is for.
 */
#include "load.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bits.h"
#include "capacity.h"
#include "checksum.h"
#include "chunks.h"
#include "context.h"
#include "file.h"
#include "init.h"
#include "locked.h"
#include "parallel.h"
#include "status.h"
#include "subject.h"

/* ---- around the payload ---- */

int load_too_short(uint64_t bytes, uf_error *why)
{
    return fail(why, UF_EFORMAT, "is %s an UltraFilter file: there are %llu bytes",
                bytes ? "too short to be" : "empty, not", (unsigned long long)bytes);
}

int load_header(const struct file_start *start, uint64_t bytes, unsigned how, const uf_context *ctx, uf_filter **out,
                uf_error *why)
{
    uf_filter *filter = NULL;
    uint64_t stated;
    int status = start_file_bytes(start, &stated, why);
    if (status == UF_OK && stated != bytes)
        return fail(why, UF_EFORMAT, "is cut or too long: the header says %llu bytes, and there are %llu",
                    (unsigned long long)stated, (unsigned long long)bytes);
    if (status == UF_OK)
        status = header_read(start->page, start_full_bytes(start, bytes), ctx, &filter, why);
    if (status != UF_OK)
        return status;
    if (how & UF_WITHOUT_KEY)
        locked_start(filter);
    else
        status = locked_end(filter, ctx, why);
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

/* What each kind knows about legal payloads. What queries follow is copied first, and the copy checked: bytes that
 * others can write to are never read twice for that. */
static int check_words(uf_filter *filter, uf_error *why)
{
    int status = filter->map ? filter_keep_table(filter, why) : UF_OK;
    if (status == UF_OK && filter->ops->check)
        status = filter->ops->check(filter, why);
    for (unsigned i = 0; status == UF_OK && i < filter->children; i++)
        status = check_words(filter->child[i], why);
    return status;
}

int load_finish(uf_filter *filter, const uf_context *ctx, uf_error *why)
{
    int status = check_words(filter, why);
    if (status == UF_OK && filter->ops->attach && !filter->locked)
        status = filter->ops->attach(filter, ctx, why);
    if (status == UF_OK && !filter->map)
        capacity_check(filter); /* so that no insert has to */
    return status;
}

/* ---- roots ---- */

/* The leaves of a file's root (root.h), for whoever asks for it. */
struct roots {
    struct file_root *out;
    const struct mem *mem;
    unsigned char *leaves; /* owned */
    size_t count;
};

static int roots_open(struct roots *roots, const struct mem *mem, size_t pieces, uf_error *why)
{
    int status = crypto_init(why);
    if (status != UF_OK)
        return status;
    roots->mem = mem;
    roots->count = pieces + 2;
    roots->leaves = mem_alloc(mem, roots->count, DIGEST_BYTES);
    return roots->leaves ? UF_OK : fail(why, UF_ENOMEM, "no memory for %zu digests", roots->count);
}

static void roots_leaf(struct roots *roots, size_t index, const void *data, size_t bytes)
{
    struct digest leaf;
    leaf_start(&leaf, index);
    digest_add(&leaf, data, bytes);
    digest_end(&leaf, roots->leaves + index * DIGEST_BYTES);
}

static void roots_close(struct roots *roots, const unsigned char page[HEADER_BYTES], uint64_t file_bytes, int status)
{
    if (roots->leaves && status == UF_OK) {
        roots_leaf(roots, 0, page, HEADER_BYTES);
        root_of(file_bytes, roots->leaves, roots->count, roots->out);
    }
    if (roots->leaves)
        mem_free(roots->mem, roots->leaves, roots->count, DIGEST_BYTES);
}

/* ---- the payload ---- */

struct loading {
    struct chunks chunks;
    const struct blob *blob;
    unsigned char *leaves; /* DIGEST_BYTES for each piece; NULL: nobody wants to know */
    int direct;            /* chunks are read to where they stay */
};

/* The words of the filter where a chunk goes, or NULL: it has bytes of several, or must be turned first. */
static uint64_t *chunk_words(const struct loading *loading, size_t chunk, size_t bytes)
{
    return bits_need_swap() ? NULL : payload_direct(&loading->chunks.payload, (uint64_t)chunk * CHUNK_BYTES, bytes);
}

/* Through a copy, which stays in cache, bytes go to the words while their checksum is computed: 3.95 GB/s on a
 * Neoverse-N1, where the kernel's own copy into fresh pages and a checksum behind it were 3.0. On an Emerald Rapids
 * server it is the other way for few threads: 2.9 and 3.1 for one, 8.1 and 9.3 for four, 24.9 and 18.7 for 16. There a
 * read without any check is 3.4 for one. */
static int is_direct(unsigned threads)
{
#if defined(__x86_64__)
    return threads <= 4;
#else
    (void)threads;
    return 0;
#endif
}

static uint64_t place_and_sum(uint64_t *words, const uint64_t *copy, size_t bytes, size_t chunk)
{
    return words && words != copy ? checksum_copy(words, copy, bytes, chunk) : checksum(copy, bytes, chunk);
}

static int load_chunk(struct loading *loading, size_t chunk, struct digest *leaf)
{
    uint64_t space[CHUNK_BYTES / 8];
    size_t bytes = chunk_size(loading->chunks.payload.bytes, chunk);
    uint64_t *words = chunk_words(loading, chunk, bytes), *copy = words && loading->direct ? words : space;
    uf_error why;
    if (blob_read(loading->blob, copy, bytes, loading->chunks.start + (uint64_t)chunk * CHUNK_BYTES, &why) != UF_OK)
        return chunks_fail(&loading->chunks, &why);
    int status = chunks_check_sum(&loading->chunks, chunk, place_and_sum(words, copy, bytes, chunk));
    if (status != UF_OK)
        return status;
    if (loading->leaves)
        digest_add(leaf, copy, bytes);
    return words ? UF_OK : chunks_place(&loading->chunks, chunk, copy, 0);
}

static int load_piece(void *arg, size_t piece)
{
    struct loading *loading = arg;
    size_t chunk, end = chunks_of_piece(&loading->chunks, piece, &chunk);
    struct digest leaf;
    int status = UF_OK;
    if (loading->leaves)
        leaf_start(&leaf, piece + 1);
    for (; status == UF_OK && chunk < end; chunk++)
        status = load_chunk(loading, chunk, &leaf);
    if (loading->leaves)
        digest_end(&leaf, loading->leaves + piece * DIGEST_BYTES);
    return status == UF_OK ? chunks_tell(&loading->chunks, piece) : status;
}

static int load_payload(const struct blob *blob, uint64_t start, uf_filter *filter, const uf_context *ctx,
                        struct roots *roots, uf_error *why)
{
    struct progress progress;
    struct loading loading = {.blob = blob, .chunks = {.start = start, .why = why, .progress = &progress}};
    struct payload *payload = &loading.chunks.payload;
    payload_of(filter, payload);
    size_t table_bytes = chunks_table_bytes(payload->bytes), pieces = chunks_pieces(payload->bytes);
    unsigned char *table = mem_alloc_dirty(&filter->mem, table_bytes, 1);
    if (!table)
        return fail(why, UF_ENOMEM, "no memory for %zu checksums", chunk_count(payload->bytes));
    loading.chunks.table = table;
    loading.direct = is_direct(ctx->threads);
    progress_start(&progress, ctx->progress, ctx->progress_arg, payload->bytes);
    int status = blob_read(blob, table, table_bytes, start + payload->bytes, why);
    if (status == UF_OK)
        status = chunks_check_table(table, payload->bytes, why);
    if (status == UF_OK)
        status = payload_allocate(payload, why);
    if (status == UF_OK && roots)
        status = roots_open(roots, &filter->mem, pieces, why);
    loading.leaves = roots && status == UF_OK ? roots->leaves + DIGEST_BYTES : NULL;
    if (status == UF_OK)
        status = parallel_for(ctx->threads, pieces, load_piece, &loading);
    if (status == UF_OK && roots)
        roots_leaf(roots, roots->count - 1, table, table_bytes);
    progress_end(&progress);
    mem_free(&filter->mem, table, table_bytes, 1);
    return status;
}

/* ---- words that stay where they are ---- */

/* In bytes that hold a whole file, whose payload begins at `start`. */
static int leave_in_place(uf_filter *filter, const void *file, size_t start, uf_error *why)
{
    struct payload payload;
    filter->map = (void *)(uintptr_t)file; /* read only: nothing writes to a filter with a map */
    filter->map_start = start;
    payload_of(filter, &payload);
    if (payload_map(&payload, filter->map, (unsigned char *)filter->map + start))
        return UF_OK;
    return fail(why, UF_EFORMAT, "is damaged: there is something between the filters inside");
}

static int map_payload(const struct blob *blob, size_t start, uf_filter *filter, uf_error *why)
{
    if (start != HEADER_BYTES)
        return fail(why, UF_EUNSUPPORTED, "cannot be mapped: it is compact; load it, or save it as a .uf file");
    if (bits_need_swap() || blob->fd < 0)
        return fail(why, UF_EUNSUPPORTED, "cannot be mapped: only a file on a little-endian machine can");
    if (blob->bytes > SIZE_MAX)
        return fail(why, UF_ENOMEM, "is larger than this machine's address space");
    void *map = mmap(NULL, (size_t)blob->bytes, PROT_READ, MAP_SHARED, blob->fd, 0);
    if (map == MAP_FAILED)
        return file_system_error(why, "mapped");
    filter->map = map;
    filter->map_bytes = (size_t)blob->bytes;
    return leave_in_place(filter, map, start, why);
}

/* The table and all chunks of a filter whose words are in place. */
static int check_in_place(const uf_filter *filter, unsigned threads, struct progress *progress, uf_error *why)
{
    const unsigned char *start = (const unsigned char *)filter->map + filter->map_start;
    struct chunks chunks = {.start = filter->map_start, .progress = progress, .why = why};
    payload_of(filter, &chunks.payload);
    progress->total = chunks.payload.bytes;
    chunks.table = start + chunks.payload.bytes;
    int status = chunks_check_table(chunks.table, chunks.payload.bytes, why);
    return status == UF_OK ? chunks_check_all(&chunks, start, threads) : status;
}

/* ---- files and bytes ---- */

/* The header in either form, with something behind it. */
static int load_start(const struct blob *blob, struct file_start *start, uf_error *why)
{
    unsigned char header[COMPACT_MOST];
    size_t bytes = 0;
    start->bytes = 0; /* until it was read */
    if (blob->bytes < COMPACT_LEAST)
        return load_too_short(blob->bytes, why);
    int status = blob_read(blob, header, COMPACT_LEAST, 0, why);
    if (status == UF_OK)
        status = start_size(header, &bytes, why);
    if (status == UF_OK && blob->bytes < bytes + 8)
        return load_too_short(blob->bytes, why);
    if (status == UF_OK)
        status = blob_read(blob, header, bytes, 0, why);
    return status == UF_OK ? start_read(header, bytes, start, why) : status;
}

static int load_uf(const struct blob *blob, unsigned how, const uf_context *ctx, struct roots *roots, uf_filter **out,
                   uf_error *why)
{
    struct file_start start;
    uf_filter *filter = NULL;
    int status = load_start(blob, &start, why);
    if (status == UF_OK)
        status = load_header(&start, blob->bytes, how, ctx, &filter, why);
    if (status != UF_OK)
        return status;
    status = how & UF_MAP ? map_payload(blob, start.bytes, filter, why)
                          : load_payload(blob, start.bytes, filter, ctx, roots, why);
    if (status == UF_OK)
        status = load_finish(filter, ctx, why);
    if (roots)
        roots_close(roots, start.page, start_full_bytes(&start, blob->bytes), status);
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

static int load(const struct blob *blob, unsigned how, const uf_context *ctx, struct roots *roots, uf_filter **out,
                uf_error *why)
{
    switch (how & ~(unsigned)UF_WITHOUT_KEY) {
    case UF_FORMAT_UF:
    case UF_FORMAT_UF | UF_MAP:
    case UF_FORMAT_COMPACT: /* either is read as what it is */
        return load_uf(blob, how, ctx, roots, out, why);
    case UF_FORMAT_DCSO:
        return load_dcso(blob, ctx, out, why);
    default:
        return fail(why, UF_EINVAL, "there is no way %u to load (a DCSO file cannot be mapped)", how);
    }
}

static int load_file(const char *path, unsigned how, const uf_context *ctx, struct roots *roots, uf_filter **out,
                     uf_error *why)
{
    struct blob blob;
    int status = blob_open(&blob, path, why);
    if (status != UF_OK)
        return status;
    status = load(&blob, how, ctx, roots, out, why);
    blob_close(&blob);
    return status;
}

int load_rooted(const char *path, const uf_context *ctx, struct file_root *root, uf_filter **out, uf_error *why)
{
    struct roots roots = {.out = root};
    uf_filter *checked = NULL;
    unsigned how = out ? UF_FORMAT_UF : UF_WITHOUT_KEY;
    int status = load_file(path, how, ctx, &roots, out ? out : &checked, why);
    uf_free(checked);
    return status;
}

int uf_load(const char *path, unsigned how, const uf_context *given, uf_filter **out, uf_error *why)
{
    uf_context ctx;
    error_clear(why);
    if (!path || !out)
        return fail(why, UF_EINVAL, "no path or no place for the filter was given");
    int status = context_read(given, &ctx, why);
    return status == UF_OK ? subject_file(load_file(path, how, &ctx, NULL, out, why), path, why) : status;
}

int uf_load_bytes(const void *data, size_t bytes, unsigned how, const uf_context *given, uf_filter **out, uf_error *why)
{
    struct blob blob = blob_of_bytes(data, bytes);
    uf_context ctx;
    error_clear(why);
    if ((!data && bytes) || !out)
        return fail(why, UF_EINVAL, "no bytes or no place for the filter was given");
    int status = context_read(given, &ctx, why);
    return status == UF_OK ? subject_bytes(load(&blob, how, &ctx, NULL, out, why), why) : status;
}

/* ---- views ---- */

static int load_view(const unsigned char *data, size_t bytes, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    const struct blob blob = blob_of_bytes(data, bytes);
    struct file_start start;
    struct progress progress;
    uf_filter *filter = NULL;
    int status = load_start(&blob, &start, why); /* a copy: others may be able to write there */
    if (status == UF_OK)
        status = load_header(&start, bytes, UF_FORMAT_UF, ctx, &filter, why);
    if (status != UF_OK)
        return status;
    progress_start(&progress, ctx->progress, ctx->progress_arg, 0);
    status = leave_in_place(filter, data, start.bytes, why);
    if (status == UF_OK)
        status = check_in_place(filter, ctx->threads, &progress, why);
    if (status == UF_OK)
        status = load_finish(filter, ctx, why);
    progress_end(&progress);
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

int uf_load_view(const void *data, size_t bytes, const uf_context *given, uf_filter **out, uf_error *why)
{
    uf_context ctx;
    error_clear(why);
    if (!data || !out)
        return fail(why, UF_EINVAL, "no bytes or no place for the filter was given");
    if ((uintptr_t)data % UF_VIEW_ALIGN)
        return fail(why, UF_EINVAL, "these bytes lie at %zu beyond a multiple of %d: a view needs them on one",
                    (size_t)((uintptr_t)data % UF_VIEW_ALIGN), UF_VIEW_ALIGN);
    if (bits_need_swap())
        return fail(why, UF_EUNSUPPORTED, "these bytes cannot be used in place: this machine is big-endian");
    int status = context_read(given, &ctx, why);
    return status == UF_OK ? subject_bytes(load_view(data, bytes, &ctx, out, why), why) : status;
}

int uf_verify(const uf_filter *filter, uf_error *why)
{
    struct progress progress;
    error_clear(why);
    if (!filter->map)
        return UF_OK;
    filter_progress(filter, 0, &progress);
    int status = check_in_place(filter, 1, &progress, why);
    progress_end(&progress);
    return subject_file(status, "the file of this filter", why);
}
