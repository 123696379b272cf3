/* SPDX-License-Identifier: MIT */
/*
 * Filters from bytes that come in pieces of any size. A file is cut into units: its first bytes, the header that they
 * begin, the chunks of the payload, and the table of checksums in runs. What comes is collected until a unit is whole,
 * a chunk in the very words where it will stay, and then checked; the checksums of the chunks are kept until the table
 * says what they should be.
 *
 * A header may promise more than ever comes. So no more memory is asked for than GROWTH times what has come, and the
 * words of a large filter move a few times: 1/GROWTH of it is copied, and lies there twice for as long as that takes.
 */
#include <string.h>

#include "checksum.h"
#include "chunks.h"
#include "context.h"
#include "load.h"
#include "status.h"
#include "subject.h"

enum { GROWTH = 16, FIRST_SUMS = 1024, TABLE_RUN = 1024 };

enum stage { AT_START, AT_HEADER, AT_PAYLOAD, AT_TABLE, AT_END };

struct uf_loader {
    struct mem mem;
    uf_context ctx;
    unsigned how;
    int status;   /* the first failure, which comes again from every call */
    uf_error why; /* its words */
    enum stage stage;
    uint64_t fed, file_bytes;
    size_t unit;                      /* number of the chunk, or of the entry of the table */
    unsigned char *into;              /* where the unit goes */
    size_t have, want;                /* bytes of it */
    uf_filter *filter;                /* owned */
    size_t held[FILTER_MOST_NODES];   /* words that each part of the payload has */
    struct chunks chunks;             /* its table is `sums` */
    unsigned char *sums;              /* owned: the table as it should be */
    size_t sums_bytes;                /* that there is room for */
    struct progress progress;         /* of the caller's context */
    uint64_t buffer[CHUNK_BYTES / 8]; /* a unit that has no other place */
};

/* ---- memory as bytes come ---- */

/* How much of a part to hold when something of it comes: all, as soon as that is no more than GROWTH times what was
 * fed; until then never more than is copied when it comes to that. */
static size_t words_for(const uf_loader *loader, const struct payload_part *part)
{
    uint64_t all = part->bytes, most = GROWTH * loader->fed + CHUNK_BYTES, some = all / GROWTH / 8 * 8 + CHUNK_BYTES;
    return (size_t)((all <= most ? all : most < some ? most / 8 * 8 : some) / 8);
}

/* So much of the payload's part is there afterwards, or more. */
static int hold_words(uf_loader *loader, unsigned part, uint64_t bytes, uf_error *why)
{
    const struct payload_part *of = &loader->chunks.payload.part[part];
    size_t held = loader->held[part], grown = words_for(loader, of);
    if (bytes / 8 <= held)
        return UF_OK;
    uint64_t *words = mem_alloc_dirty(&loader->mem, grown, sizeof *words);
    if (!words)
        return fail(why, UF_ENOMEM, "no memory for %zu bytes of a filter of %zu", grown * sizeof *words,
                    of->filter->word_count * sizeof *words);
    if (held)
        memcpy(words, of->filter->words, held * sizeof *words);
    mem_free(&loader->mem, of->filter->words, held, sizeof *words);
    of->filter->words = words;
    loader->held[part] = grown;
    return UF_OK;
}

static int hold_chunk(uf_loader *loader, size_t chunk, uf_error *why)
{
    const struct payload *payload = &loader->chunks.payload;
    uint64_t from = (uint64_t)chunk * CHUNK_BYTES, end = from + chunk_size(payload->bytes, chunk);
    int status = UF_OK;
    for (unsigned i = 0; status == UF_OK && i < payload->parts; i++) {
        const struct payload_part *part = &payload->part[i];
        if (part->at < end && part->at + part->bytes > from)
            status = hold_words(loader, i, (end < part->at + part->bytes ? end - part->at : part->bytes), why);
    }
    return status;
}

/* Room for one checksum more, and the table's own behind them. */
static int hold_sums(uf_loader *loader, size_t bytes, uf_error *why)
{
    if (bytes <= loader->sums_bytes)
        return UF_OK;
    size_t grown = loader->sums_bytes ? 2 * loader->sums_bytes : FIRST_SUMS;
    unsigned char *sums = mem_alloc_dirty(&loader->mem, grown, 1);
    if (!sums)
        return fail(why, UF_ENOMEM, "no memory for %zu checksums", grown / 8);
    if (loader->sums_bytes)
        memcpy(sums, loader->sums, loader->sums_bytes);
    mem_free(&loader->mem, loader->sums, loader->sums_bytes, 1);
    loader->sums = sums;
    loader->sums_bytes = grown;
    loader->chunks.table = sums;
    return UF_OK;
}

/* ---- units ---- */

static void expect(uf_loader *loader, void *into, size_t want)
{
    loader->into = into;
    loader->have = 0;
    loader->want = want;
}

static int expect_table(uf_loader *loader, uf_error *why)
{
    size_t bytes = chunks_table_bytes(loader->chunks.payload.bytes), done = 8 * loader->unit;
    (void)why;
    if (done == bytes)
        loader->stage = AT_END;
    expect(loader, loader->buffer, bytes - done < TABLE_RUN ? bytes - done : TABLE_RUN);
    return UF_OK;
}

/* All chunks have come: what the table must be is known. */
static int start_table(uf_loader *loader, uf_error *why)
{
    size_t count = chunk_count(loader->chunks.payload.bytes);
    int status = hold_sums(loader, 8 * count + 8, why);
    if (status != UF_OK)
        return status;
    struct writer end = {loader->sums + 8 * count, 8, 0};
    write_uint(&end, checksum(loader->sums, 8 * count, count), 8);
    loader->stage = AT_TABLE;
    loader->unit = 0;
    return expect_table(loader, why);
}

static int expect_chunk(uf_loader *loader, uf_error *why)
{
    const struct payload *payload = &loader->chunks.payload;
    if (loader->unit == chunk_count(payload->bytes))
        return start_table(loader, why);
    size_t bytes = chunk_size(payload->bytes, loader->unit);
    int status = hold_chunk(loader, loader->unit, why);
    void *direct = status == UF_OK ? payload_direct(payload, (uint64_t)loader->unit * CHUNK_BYTES, bytes) : NULL;
    expect(loader, direct ? direct : loader->buffer, bytes);
    return status;
}

static int take_header(uf_loader *loader, uf_error *why)
{
    struct file_start start;
    int status = start_read((const unsigned char *)loader->buffer, loader->want, &start, why);
    if (status == UF_OK)
        status = start_file_bytes(&start, &loader->file_bytes, why);
    if (status == UF_OK)
        status = load_header(&start, loader->file_bytes, loader->how, &loader->ctx, &loader->filter, why);
    if (status != UF_OK)
        return status;
    loader->chunks.start = start.bytes;
    payload_of(loader->filter, &loader->chunks.payload);
    loader->progress.total = loader->chunks.payload.bytes;
    loader->stage = AT_PAYLOAD;
    loader->unit = 0;
    return expect_chunk(loader, why);
}

/* The first bytes say how many the header has: they are its first, too. */
static int take_start(uf_loader *loader, uf_error *why)
{
    int status = start_size((const unsigned char *)loader->buffer, &loader->want, why);
    loader->stage = AT_HEADER;
    return status == UF_OK && loader->have == loader->want ? take_header(loader, why) : status;
}

static int take_chunk(uf_loader *loader, uf_error *why)
{
    size_t chunk = loader->unit++, count = chunk_count(loader->chunks.payload.bytes);
    int status = hold_sums(loader, 8 * chunk + 8, why);
    if (status != UF_OK)
        return status;
    struct writer sum = {loader->sums + 8 * chunk, 8, 0};
    write_uint(&sum, checksum(loader->into, loader->want, chunk), 8);
    loader->chunks.why = why;
    status = chunks_place(&loader->chunks, chunk, (void *)loader->into, (void *)loader->into != loader->buffer);
    if (status == UF_OK && ((chunk + 1) % CHUNKS_PER_PIECE == 0 || chunk + 1 == count))
        status = chunks_tell(&loader->chunks, chunk / CHUNKS_PER_PIECE);
    return status == UF_OK ? expect_chunk(loader, why) : status;
}

/* The entries of chunks, then the table's own. */
static int take_table(uf_loader *loader, uf_error *why)
{
    const size_t count = chunk_count(loader->chunks.payload.bytes);
    struct reader entries = {loader->into, loader->want, 0};
    int status = UF_OK;
    loader->chunks.why = why;
    for (; status == UF_OK && entries.left && loader->unit < count; loader->unit++)
        status = chunks_check_sum(&loader->chunks, loader->unit, read_uint(&entries, 8));
    if (status == UF_OK && entries.left) {
        struct reader own = {loader->sums + 8 * count, 8, 0};
        loader->unit++;
        if (read_uint(&entries, 8) != read_uint(&own, 8))
            status = fail(why, UF_EFORMAT, "is damaged: the checksum of the table of checksums does not fit");
    }
    return status == UF_OK ? expect_table(loader, why) : status;
}

static int take_unit(uf_loader *loader, uf_error *why)
{
    switch (loader->stage) {
    case AT_START:
        return take_start(loader, why);
    case AT_HEADER:
        return take_header(loader, why);
    case AT_PAYLOAD:
        return take_chunk(loader, why);
    default:
        return take_table(loader, why);
    }
}

static int feed(uf_loader *loader, const unsigned char *data, size_t bytes, uf_error *why)
{
    int status = UF_OK;
    while (bytes && status == UF_OK) {
        size_t missing = loader->want - loader->have, step = bytes < missing ? bytes : missing;
        if (loader->stage == AT_END)
            return fail(why, UF_EFORMAT, "is cut or too long: the header says %llu bytes, and there are more",
                        (unsigned long long)loader->file_bytes);
        memcpy(loader->into + loader->have, data, step);
        loader->have += step;
        loader->fed += step;
        data += step;
        bytes -= step;
        if (loader->have == loader->want)
            status = take_unit(loader, why);
    }
    return status;
}

/* ---- the calls ---- */

/* Words of a part that is not whole have another size than its filter says. */
static void drop_filter(uf_loader *loader)
{
    const struct payload *payload = &loader->chunks.payload;
    for (unsigned i = 0; loader->filter && i < payload->parts; i++) {
        uf_filter *part = payload->part[i].filter;
        if (loader->held[i] == part->word_count)
            continue;
        mem_free(&loader->mem, part->words, loader->held[i], sizeof *part->words);
        part->words = NULL;
    }
    uf_free(loader->filter);
    loader->filter = NULL;
}

/* A failure is final: it frees the filter, and comes again from every call. */
static int remember(uf_loader *loader, int status, uf_error *why)
{
    if (status != UF_OK && loader->status == UF_OK) {
        loader->status = subject_bytes(status, &loader->why);
        drop_filter(loader);
    }
    if (loader->status != UF_OK && why)
        *why = loader->why;
    return loader->status;
}

int uf_loader_new(const uf_context *given, unsigned how, uf_loader **out, uf_error *why)
{
    uf_context ctx;
    error_clear(why);
    if (!out)
        return fail(why, UF_EINVAL, "no place for the loader was given");
    if (how & UF_FORMAT_DCSO)
        return fail(why, UF_EUNSUPPORTED, "a DCSO file cannot be loaded in pieces: it does not say how long it is");
    if (how & ~(unsigned)(UF_WITHOUT_KEY | UF_FORMAT_COMPACT))
        return fail(why, UF_EINVAL, "there is no way %u to load in pieces", how);
    int status = context_read(given, &ctx, why);
    if (status != UF_OK)
        return status;
    struct mem mem = {ctx.allocator};
    uf_loader *loader = mem_alloc(&mem, 1, sizeof *loader);
    if (!loader)
        return fail(why, UF_ENOMEM, "no memory for a loader");
    loader->mem = mem;
    loader->ctx = ctx;
    loader->how = how;
    progress_start(&loader->progress, ctx.progress, ctx.progress_arg, 0);
    loader->chunks.progress = &loader->progress;
    expect(loader, loader->buffer, COMPACT_LEAST);
    *out = loader;
    return UF_OK;
}

int uf_loader_feed(uf_loader *loader, const void *data, size_t bytes, uf_error *why)
{
    error_clear(why);
    if (!loader || (!data && bytes))
        return fail(why, UF_EINVAL, "no loader or no bytes were given");
    int status = loader->status == UF_OK ? feed(loader, data, bytes, &loader->why) : loader->status;
    return remember(loader, status, why);
}

static int finish(uf_loader *loader, uf_error *why)
{
    if (loader->stage <= AT_HEADER || loader->fed < loader->chunks.start + 8)
        return load_too_short(loader->fed, why);
    if (loader->stage != AT_END)
        return fail(why, UF_EFORMAT, "is cut or too long: the header says %llu bytes, and there are %llu",
                    (unsigned long long)loader->file_bytes, (unsigned long long)loader->fed);
    return load_finish(loader->filter, &loader->ctx, why);
}

int uf_loader_finish(uf_loader *loader, uf_filter **out, uf_error *why)
{
    error_clear(why);
    if (!loader || !out)
        return fail(why, UF_EINVAL, "no loader or no place for the filter was given");
    int status = remember(loader, loader->status == UF_OK ? finish(loader, &loader->why) : loader->status, why);
    if (status != UF_OK)
        return status;
    *out = loader->filter;
    loader->filter = NULL;
    loader->status = fail(&loader->why, UF_EINVAL, "this loader has finished already");
    return UF_OK;
}

void uf_loader_free(uf_loader *loader)
{
    if (!loader)
        return;
    struct mem mem = loader->mem;
    drop_filter(loader);
    mem_free(&mem, loader->sums, loader->sums_bytes, 1);
    progress_end(&loader->progress);
    mem_free(&mem, loader, 1, sizeof *loader);
}
