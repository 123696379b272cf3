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
#include "blob.h"
#include "checksum.h"
#include "context.h"
#include "header.h"
#include "keying.h"
#include "kinds.h"
#include "parallel.h"
#include "payload.h"
#include "status.h"

struct loading {
    const struct blob *blob; /* NULL: the payload is in memory, at `mapped` */
    const unsigned char *mapped;
    struct payload payload;
    unsigned char *leaves; /* DIGEST_BYTES for each piece; NULL: nobody wants to know */
    const unsigned char *table;
    uf_error *why; /* of the thread that fails first; the others stay silent */
    int failed;
};

static int chunk_error(struct loading *loading, size_t chunk, int status)
{
    if (!__atomic_exchange_n(&loading->failed, 1, __ATOMIC_RELAXED) && status == UF_EFORMAT)
        fail(loading->why, status, "is damaged: the checksum of bytes %llu to %llu does not fit",
             (unsigned long long)(HEADER_BYTES + (uint64_t)chunk * CHUNK_BYTES),
             (unsigned long long)(HEADER_BYTES + (uint64_t)chunk * CHUNK_BYTES +
                                  chunk_size(loading->payload.bytes, chunk) - 1));
    return status;
}

static int check_chunk(struct loading *loading, size_t chunk, const void *data)
{
    struct reader sum = {loading->table + 8 * chunk, 8, 0};
    size_t bytes = chunk_size(loading->payload.bytes, chunk);
    return checksum(data, bytes, chunk) == read_uint(&sum, 8) ? UF_OK : chunk_error(loading, chunk, UF_EFORMAT);
}

/* The leaves of a file's root (root.h), for whoever asks for it. */
struct roots {
    struct file_root *out;
    const struct mem *mem;
    unsigned char *leaves; /* owned */
    size_t count;
};

static int roots_open(struct roots *roots, const struct mem *mem, size_t pieces, uf_error *why)
{
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

/* Chunks are read and checked in runs, while they are still in cache from the reading. */
enum { CHUNKS_PER_PIECE = 16 };

static size_t piece_count(size_t chunks)
{
    return (chunks + CHUNKS_PER_PIECE - 1) / CHUNKS_PER_PIECE;
}

/* The first thread that fails may say why. */
static int said(struct loading *loading, const uf_error *why)
{
    if (!__atomic_exchange_n(&loading->failed, 1, __ATOMIC_RELAXED) && loading->why)
        *loading->why = *why;
    return why->status;
}

/* A chunk that has bytes of several filters goes through a copy. */
static int load_chunk(struct loading *loading, size_t chunk, struct digest *leaf)
{
    uint64_t copy[CHUNK_BYTES / 8], at = (uint64_t)chunk * CHUNK_BYTES;
    size_t bytes = chunk_size(loading->payload.bytes, chunk);
    uint64_t *direct = payload_direct(&loading->payload, at, bytes), *words = direct ? direct : copy;
    uf_error why;
    if (blob_read(loading->blob, words, bytes, HEADER_BYTES + at, &why) != UF_OK)
        return said(loading, &why);
    int status = check_chunk(loading, chunk, words);
    if (status != UF_OK)
        return status;
    if (loading->leaves)
        digest_add(leaf, words, bytes);
    bits_swap(words, bytes / 8);
    if (direct || payload_scatter(&loading->payload, at, bytes, (unsigned char *)copy))
        return UF_OK;
    fail(&why, UF_EFORMAT, "is damaged: there is something between the filters inside it");
    return said(loading, &why);
}

static int load_piece(void *arg, size_t piece)
{
    struct loading *loading = arg;
    size_t end = chunk_count(loading->payload.bytes), last = (piece + 1) * CHUNKS_PER_PIECE;
    struct digest leaf;
    int status = UF_OK;
    if (loading->leaves)
        leaf_start(&leaf, piece + 1);
    for (size_t chunk = piece * CHUNKS_PER_PIECE; status == UF_OK && chunk < last && chunk < end; chunk++)
        status = load_chunk(loading, chunk, &leaf);
    if (loading->leaves)
        digest_end(&leaf, loading->leaves + piece * DIGEST_BYTES);
    return status;
}

static int verify_piece(void *arg, size_t piece)
{
    struct loading *loading = arg;
    size_t end = chunk_count(loading->payload.bytes), last = (piece + 1) * CHUNKS_PER_PIECE;
    int status = UF_OK;
    for (size_t chunk = piece * CHUNKS_PER_PIECE; status == UF_OK && chunk < last && chunk < end; chunk++)
        status = check_chunk(loading, chunk, loading->mapped + chunk * CHUNK_BYTES);
    return status;
}

static int check_table(const unsigned char *table, size_t chunks, uf_error *why)
{
    struct reader sum = {table + 8 * chunks, 8, 0};
    if (checksum(table, 8 * chunks, chunks) == read_uint(&sum, 8))
        return UF_OK;
    return fail(why, UF_EFORMAT, "is damaged: the checksum of its table of checksums does not fit");
}

static int load_payload(const struct blob *blob, uf_filter *filter, const uf_context *ctx, struct roots *roots,
                        uf_error *why)
{
    struct loading loading = {.blob = blob, .why = why};
    payload_of(filter, &loading.payload);
    size_t chunks = chunk_count(loading.payload.bytes), table_bytes = 8 * chunks + 8;
    unsigned char *table = mem_alloc_dirty(&filter->mem, table_bytes, 1);
    if (!table)
        return fail(why, UF_ENOMEM, "no memory for %zu checksums", chunks);
    loading.table = table;
    int status = blob_read(blob, table, table_bytes, HEADER_BYTES + loading.payload.bytes, why);
    if (status == UF_OK)
        status = check_table(table, chunks, why);
    if (status == UF_OK)
        status = payload_allocate(&loading.payload, why);
    if (status == UF_OK && roots)
        status = roots_open(roots, &filter->mem, piece_count(chunks), why);
    loading.leaves = roots && status == UF_OK ? roots->leaves + DIGEST_BYTES : NULL;
    if (status == UF_OK)
        status = parallel_for(ctx->threads, piece_count(chunks), load_piece, &loading);
    if (status == UF_OK && roots)
        roots_leaf(roots, roots->count - 1, table, table_bytes);
    mem_free(&filter->mem, table, table_bytes, 1);
    return status;
}

static int map_payload(const struct blob *blob, uf_filter *filter, uf_error *why)
{
    if (bits_need_swap() || blob->fd < 0)
        return fail(why, UF_EUNSUPPORTED, "only a file on a little-endian machine can be mapped");
    if (blob->bytes > SIZE_MAX)
        return fail(why, UF_ENOMEM, "is larger than this machine's address space");
    void *map = mmap(NULL, (size_t)blob->bytes, PROT_READ, MAP_SHARED, blob->fd, 0);
    if (map == MAP_FAILED)
        return fail(why, errno == ENOMEM ? UF_ENOMEM : UF_EIO, "cannot map: %s", strerrordesc_np(errno));
    struct payload payload;
    filter->map = map;
    filter->map_bytes = (size_t)blob->bytes;
    payload_of(filter, &payload);
    if (payload_map(&payload, map, (unsigned char *)map + HEADER_BYTES))
        return UF_OK;
    return fail(why, UF_EFORMAT, "is damaged: there is something between the filters inside it");
}

/* What each kind knows about legal payloads. */
static int check_words(const uf_filter *filter, uf_error *why)
{
    int status = filter->ops->check ? filter->ops->check(filter, why) : UF_OK;
    for (unsigned i = 0; status == UF_OK && i < filter->children; i++)
        status = check_words(filter->child[i], why);
    return status;
}

static int unlock(uf_filter *filter, const uf_context *ctx, uf_error *why)
{
    int status = is_keyed(filter) ? keying_unlock(&filter->hasher, ctx->cpu, ctx->secret, why) : UF_OK;
    for (unsigned i = 0; status == UF_OK && i < filter->children; i++)
        status = unlock(filter->child[i], ctx, why);
    return status;
}

/* How a file is loaded: LOAD_TO_DESCRIBE makes a handle that cannot answer, so it leaves this folder never. */
enum { LOAD_TO_DESCRIBE = 1 << 30 };

static int load_uf(const struct blob *blob, unsigned how, const uf_context *ctx, struct roots *roots, uf_filter **out,
                   uf_error *why)
{
    unsigned char page[HEADER_BYTES];
    uf_filter *filter;
    if (blob->bytes < HEADER_BYTES + 8) {
        const char *what = blob->bytes ? "too short to be" : "empty, not";
        return fail(why, UF_EFORMAT, "is %s an UltraFilter file: it has %llu bytes", what,
                    (unsigned long long)blob->bytes);
    }
    int status = blob_read(blob, page, sizeof page, 0, why);
    if (status == UF_OK)
        status = header_read(page, blob->bytes, ctx, &filter, why);
    if (status != UF_OK)
        return status;
    if (!(how & LOAD_TO_DESCRIBE))
        status = unlock(filter, ctx, why);
    if (status == UF_OK)
        status = how & UF_MAP ? map_payload(blob, filter, why) : load_payload(blob, filter, ctx, roots, why);
    if (status == UF_OK)
        status = check_words(filter, why);
    if (status == UF_OK && filter->ops->attach)
        status = filter->ops->attach(filter, ctx, why);
    if (roots)
        roots_close(roots, page, blob->bytes, status);
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

/* The rest of a DCSO file: words, then free data. */
static int load_dcso_payload(const struct blob *blob, uint64_t header, uf_filter *filter, uf_error *why)
{
    uint64_t payload = payload_bytes(filter);
    if (payload > blob->bytes - header)
        return fail(why, UF_EFORMAT, "is cut: its header means %llu bytes and it has %llu",
                    (unsigned long long)(header + payload), (unsigned long long)blob->bytes);
    size_t attached = (size_t)(blob->bytes - header - payload);
    int status = filter_allocate(filter, why);
    if (status == UF_OK)
        status = blob_read(blob, filter->words, (size_t)payload, header, why);
    if (status == UF_OK && attached) {
        filter->attached = mem_alloc_dirty(&filter->mem, attached, 1);
        if (!filter->attached)
            return fail(why, UF_ENOMEM, "no memory for %zu bytes of attached data", attached);
        filter->attached_bytes = attached;
        status = blob_read(blob, filter->attached, attached, header + payload, why);
    }
    bits_swap(filter->words, filter->word_count);
    return status == UF_OK ? filter->ops->check(filter, why) : status;
}

static int load_dcso(const struct blob *blob, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    unsigned char head[48];
    uf_filter *filter;
    if (blob->bytes < sizeof head)
        return fail(why, UF_EFORMAT, "is too short to be a DCSO filter: it has %llu bytes",
                    (unsigned long long)blob->bytes);
    int status = blob_read(blob, head, sizeof head, 0, why);
    if (status != UF_OK)
        return status;
    if (head[0] != 1)
        return fail(why, UF_EFORMAT, "is not a DCSO filter of version 1: it starts with byte 0x%02x%s", head[0],
                    head[0] == 0x1f ? " (compressed: run gunzip first)" : "");
    status = filter_new(&kind_dcso, ctx, &filter, why);
    if (status != UF_OK)
        return status;
    struct reader params = {head + 8, sizeof head - 8, 0};
    status = kind_dcso.decode(filter, &params, why);
    if (status == UF_OK)
        status = load_dcso_payload(blob, sizeof head, filter, why);
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

static int no_way(unsigned how, uf_error *why)
{
    return fail(why, UF_EINVAL, "there is no way %u to load (a DCSO file cannot be mapped)", how);
}

static int load(const struct blob *blob, unsigned how, const uf_context *given, struct roots *roots, uf_filter **out,
                uf_error *why)
{
    uf_context ctx;
    int status = context_read(given, &ctx, why);
    if (status != UF_OK)
        return status;
    switch (how & ~(unsigned)LOAD_TO_DESCRIBE) {
    case UF_FORMAT_UF:
    case UF_FORMAT_UF | UF_MAP:
        return load_uf(blob, how, &ctx, roots, out, why);
    case UF_FORMAT_DCSO:
        return load_dcso(blob, &ctx, out, why);
    default:
        return no_way(how & ~(unsigned)LOAD_TO_DESCRIBE, why);
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

int uf_load(const char *path, unsigned how, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    return how & LOAD_TO_DESCRIBE ? no_way(how, why) : load_file(path, how, ctx, NULL, out, why);
}

int load_for_description(const char *path, unsigned how, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    if (how & LOAD_TO_DESCRIBE)
        return no_way(how, why);
    return load_file(path, how | LOAD_TO_DESCRIBE, ctx, NULL, out, why);
}

int load_rooted(const char *path, const uf_context *ctx, struct file_root *root, uf_filter **out, uf_error *why)
{
    struct roots roots = {.out = root};
    uf_filter *checked = NULL;
    int status =
        load_file(path, out ? UF_FORMAT_UF : (unsigned)LOAD_TO_DESCRIBE, ctx, &roots, out ? out : &checked, why);
    uf_free(checked);
    return status;
}

int uf_load_bytes(const void *data, size_t bytes, unsigned how, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    struct blob blob = blob_of_bytes(data, bytes);
    return how & LOAD_TO_DESCRIBE ? no_way(how, why) : load(&blob, how, ctx, NULL, out, why);
}

int uf_verify(const uf_filter *filter, uf_error *why)
{
    if (!filter->map)
        return UF_OK;
    struct loading loading = {.mapped = (const unsigned char *)filter->map + HEADER_BYTES, .why = why};
    payload_of(filter, &loading.payload);
    size_t chunks = chunk_count(loading.payload.bytes);
    loading.table = loading.mapped + loading.payload.bytes;
    int status = check_table(loading.table, chunks, why);
    return status == UF_OK ? parallel_for(1, piece_count(chunks), verify_piece, &loading) : status;
}
