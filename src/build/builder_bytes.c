/* SPDX-License-Identifier: MIT */
/*
 * Builders as bytes, for workers in other processes. Experimental, so the layout is here and not in docs/format.md; all
 * numbers are little-endian:
 *
 *       0    8   magic, "UFBUILD" and a newline
 *       8    4   version, 1
 *      12    4   form: 1 hashes, 2 a partial filter
 *      16    8   keys that came
 *      24   16   id and check value of the key (crypto/keying.h); zeros without one
 *      40  168   a notice for whoever looks at the bytes, one text for unkeyed and one for keyed ones; zeros behind it
 *     208  512   the spec, with its seed; zeros behind it
 *     720    8   checksum of all that
 *     728        form 1: pieces of up to 4096 hashes, 16 bytes each, and behind each piece 8 bytes of checksum, salted
 *                with its number, from 1; form 2: a .uf file, which has checksums of its own
 */
#include <string.h>

#include "builder.h"
#include "checksum.h"
#include "context.h"
#include "describe.h"
#include "keying.h"
#include "runs.h"
#include "status.h"
#include "table.h"

enum {
    VERSION = 1,
    MAGIC_BYTES = 8,
    NOTICE_BYTES = 168,
    SPEC_BYTES = 512,
    SUM_BYTES = 8,
    SUMMED_BYTES = 40 + NOTICE_BYTES + SPEC_BYTES,
    HEAD_BYTES = SUMMED_BYTES + SUM_BYTES,
    PIECE = 4096,
    PIECE_BYTES = PIECE * HASH_BYTES,
};

enum form { FORM_HASHES = 1, FORM_FILTER = 2 };

_Static_assert(sizeof(uf_spec) == SPEC_BYTES, "a spec has its place in the header");

static const char magic[MAGIC_BYTES] = {'U', 'F', 'B', 'U', 'I', 'L', 'D', '\n'};

/* More than any spec can ask for. */
static const uint64_t most_keys = UINT64_C(1) << 53;

struct head {
    uint64_t form, keys;
    struct key_stamp stamp;
    uf_spec spec;
};

static const char *notice_of(const struct key_stamp *stamp)
{
    static const struct key_stamp none = {{0}, {0}};
    return memcmp(stamp, &none, sizeof none) != 0
               ? "keyed hashes of keys: whoever has the master key can try keys out on them"
               : "hashes of keys without a secret: as sensitive as the keys, since anybody can try keys out on them";
}

/* ---- the header ---- */

static void write_text(struct writer *writer, const char *text, size_t bytes)
{
    static const unsigned char zeros[SPEC_BYTES];
    size_t length = strlen(text);
    write_bytes(writer, text, length);
    write_bytes(writer, zeros, bytes - length);
}

static void head_write(const struct head *head, unsigned char out[HEAD_BYTES])
{
    struct writer writer = {out, HEAD_BYTES, 0};
    write_bytes(&writer, magic, sizeof magic);
    write_uint(&writer, VERSION, 4);
    write_uint(&writer, head->form, 4);
    write_uint(&writer, head->keys, 8);
    write_bytes(&writer, head->stamp.id, sizeof head->stamp.id);
    write_bytes(&writer, head->stamp.check, sizeof head->stamp.check);
    write_text(&writer, notice_of(&head->stamp), NOTICE_BYTES);
    write_text(&writer, head->spec.text, SPEC_BYTES);
    write_uint(&writer, checksum(out, SUMMED_BYTES, 0), SUM_BYTES);
}

static int check_head(const unsigned char *data, size_t bytes, uf_error *why)
{
    struct reader reader = {data, bytes, 0};
    const unsigned char *start = read_bytes(&reader, MAGIC_BYTES);
    if (!start || memcmp(start, magic, sizeof magic) != 0)
        return fail(why, UF_EFORMAT, "these bytes are not a builder that uf_builder_write wrote");
    uint64_t version = read_uint(&reader, 4);
    if (bytes < HEAD_BYTES)
        return fail(why, UF_EFORMAT, "these bytes end after %zu bytes: a builder has %d and more", bytes, HEAD_BYTES);
    if (version != VERSION)
        return fail(why, UF_EVERSION, "these bytes are a builder of version %llu: this library reads version %d",
                    (unsigned long long)version, VERSION);
    reader = (struct reader){data + SUMMED_BYTES, SUM_BYTES, 0};
    if (read_uint(&reader, SUM_BYTES) != checksum(data, SUMMED_BYTES, 0))
        return fail(why, UF_EFORMAT, "these bytes are damaged: the checksum of their header is wrong");
    return UF_OK;
}

/* One encoding for each header: what head_write would not have written is refused. */
static int head_read(const unsigned char *data, size_t bytes, struct head *out, uf_error *why)
{
    unsigned char again[HEAD_BYTES];
    int status = check_head(data, bytes, why);
    if (status != UF_OK)
        return status;
    struct reader reader = {data + MAGIC_BYTES + 4, HEAD_BYTES - MAGIC_BYTES - 4, 0};
    out->form = read_uint(&reader, 4);
    out->keys = read_uint(&reader, 8);
    memcpy(out->stamp.id, read_bytes(&reader, sizeof out->stamp.id), sizeof out->stamp.id);
    memcpy(out->stamp.check, read_bytes(&reader, sizeof out->stamp.check), sizeof out->stamp.check);
    (void)read_bytes(&reader, NOTICE_BYTES);
    memcpy(out->spec.text, read_bytes(&reader, SPEC_BYTES), SPEC_BYTES);
    if (out->spec.text[SPEC_BYTES - 1])
        return fail(why, UF_EFORMAT, "these bytes are damaged: their spec has no end");
    head_write(out, again);
    if (memcmp(again, data, HEAD_BYTES) != 0 || (out->form != FORM_HASHES && out->form != FORM_FILTER) ||
        out->keys > most_keys)
        return fail(why, UF_EFORMAT, "these bytes are damaged: no builder has such a header");
    return UF_OK;
}

/* ---- writing ---- */

/* The caller's callback, and a piece of hashes that is not full yet. */
struct sink {
    int (*write)(void *arg, const void *data, size_t bytes);
    void *arg;
    struct progress progress;
    uf_error *why;
    uint64_t pieces;
    struct writer piece;
    unsigned char *buffer; /* owned: PIECE_BYTES + SUM_BYTES */
};

static int emit(struct sink *sink, const void *data, size_t bytes)
{
    int reason = sink->write(sink->arg, data, bytes);
    return reason ? fail_because(sink->why, UF_EIO, reason, "the callback that takes the bytes returned %d", reason)
                  : UF_OK;
}

static void open_piece(struct sink *sink)
{
    sink->piece = (struct writer){sink->buffer, PIECE_BYTES + SUM_BYTES, 0};
}

/* In two calls, so that neither is above 64 KiB. */
static int put_piece(struct sink *sink)
{
    size_t bytes = (size_t)(sink->piece.at - sink->buffer);
    if (!bytes)
        return UF_OK;
    write_uint(&sink->piece, checksum(sink->buffer, bytes, ++sink->pieces), SUM_BYTES);
    int status = emit(sink, sink->buffer, bytes);
    if (status == UF_OK)
        status = emit(sink, sink->buffer + bytes, SUM_BYTES);
    open_piece(sink);
    if (status == UF_OK && progress_add(&sink->progress, bytes) != UF_OK)
        status = progress_stopped(&sink->progress, sink->why);
    return status;
}

static int put_hash(struct sink *sink, struct hash128 hash)
{
    unsigned char bytes[HASH_BYTES];
    hash_bytes(hash, bytes);
    write_bytes(&sink->piece, bytes, sizeof bytes);
    return sink->piece.left == SUM_BYTES ? put_piece(sink) : UF_OK;
}

static int put_runs(struct sink *sink, const struct hash_runs *runs)
{
    int status = UF_OK;
    for (unsigned g = 0; g < RUN_GROUPS; g++)
        for (const struct run_piece *piece = runs->group[g]; piece; piece = piece->next)
            for (uint32_t i = 0; status == UF_OK && i < piece->used; i++)
                status = put_hash(sink, piece->hash[i]);
    return status == UF_OK ? put_piece(sink) : status;
}

static int write_hashes(const uf_builder *builder, const struct partial *partial, struct sink *sink)
{
    if (!partial->total)
        return UF_OK;
    sink->buffer = mem_alloc_dirty(&builder->mem, PIECE_BYTES + SUM_BYTES, 1);
    if (!sink->buffer)
        return fail(sink->why, UF_ENOMEM, "no memory for a piece of %d hashes", PIECE);
    open_piece(sink);
    progress_start(&sink->progress, builder->ctx.progress, builder->ctx.progress_arg, partial->total * HASH_BYTES);
    int status = put_runs(sink, partial->runs);
    progress_end(&sink->progress);
    mem_free(&builder->mem, sink->buffer, PIECE_BYTES + SUM_BYTES, 1);
    return status;
}

static int write_filter(const uf_builder *builder, uf_filter *filter, struct sink *sink)
{
    uf_set_progress(filter, builder->ctx.progress, builder->ctx.progress_arg);
    int status = uf_write(filter, UF_FORMAT_UF, sink->write, sink->arg, sink->why);
    uf_set_progress(filter, NULL, NULL);
    return status;
}

static int write_builder(const uf_builder *builder, struct sink *sink, uf_error *why)
{
    struct partial partial = {.total = 0};
    struct head head = {.form = FORM_HASHES};
    unsigned char page[HEAD_BYTES];
    int status = builder->way->lend(builder->state, &partial, why);
    if (status == UF_OK)
        status = spec_print(&builder->want, &head.spec, why);
    if (status != UF_OK)
        return status;
    if (partial.filter)
        head.form = FORM_FILTER;
    head.keys = partial.total;
    if (hash_is_keyed(builder->hasher.kind))
        head.stamp = builder->hasher.stamp;
    head_write(&head, page);
    status = emit(sink, page, sizeof page);
    if (status != UF_OK)
        return status;
    return partial.filter ? write_filter(builder, partial.filter, sink) : write_hashes(builder, &partial, sink);
}

static int refuse_learned(const struct filter_ops *ops, uf_error *why)
{
    return fail(why, UF_EUNSUPPORTED,
                "a builder of kind %s cannot be bytes, since its keys have scores of a model: merge builders of one "
                "process with uf_builder_merge",
                ops->name);
}

int uf_builder_write(const uf_builder *builder, int (*write)(void *arg, const void *data, size_t bytes), void *arg,
                     uf_error *why)
{
    struct sink sink = {.write = write, .arg = arg, .why = why};
    error_clear(why);
    if (!builder || !write)
        return fail(why, UF_EINVAL, "no builder or no callback that takes its bytes was given");
    if (builder->finished)
        return fail(why, UF_EINVAL, "this builder has finished already: there is nothing to write");
    return builder->ops->learned ? refuse_learned(builder->ops, why) : write_builder(builder, &sink, why);
}

/* ---- reading ---- */

/* What is behind the header. */
struct body {
    const unsigned char *at;
    size_t bytes;
};

/* What so many hashes take. */
static uint64_t bytes_of_hashes(uint64_t keys)
{
    return keys * HASH_BYTES + (keys + PIECE - 1) / PIECE * SUM_BYTES;
}

static int read_piece(struct reader *reader, size_t count, uint64_t number, struct hash_runs *out, uf_error *why)
{
    const unsigned char *data = read_bytes(reader, count * HASH_BYTES);
    if (read_uint(reader, SUM_BYTES) != checksum(data, count * HASH_BYTES, number))
        return fail(why, UF_EFORMAT, "these bytes are damaged: the checksum of piece %llu of their hashes is wrong",
                    (unsigned long long)number);
    struct reader hashes = {data, count * HASH_BYTES, 0};
    int status = UF_OK;
    for (size_t i = 0; status == UF_OK && i < count; i++) {
        struct hash128 hash;
        hash.lo = read_uint(&hashes, 8);
        hash.hi = read_uint(&hashes, 8);
        status = runs_add(out, &hash, 1);
    }
    return status == UF_OK ? UF_OK : fail(why, status, "no memory for the hashes of these keys");
}

static int read_hashes(uf_builder *builder, const struct head *head, const struct body *body, uf_error *why)
{
    struct hash_runs runs = {.mem = &builder->mem};
    struct partial partial = {.total = head->keys, .runs = &runs};
    struct progress progress;
    struct reader reader = {body->at, body->bytes, 0};
    uint64_t number = 0;
    int status = UF_OK;
    progress_start(&progress, builder->ctx.progress, builder->ctx.progress_arg, head->keys * HASH_BYTES);
    for (uint64_t left = head->keys; status == UF_OK && left;) {
        size_t count = left < PIECE ? (size_t)left : PIECE;
        status = read_piece(&reader, count, ++number, &runs, why);
        if (status == UF_OK && progress_add(&progress, count * HASH_BYTES) != UF_OK)
            status = progress_stopped(&progress, why);
        left -= count;
    }
    progress_end(&progress);
    if (status == UF_OK)
        status = builder->way->take(builder->state, &partial, why);
    runs_free(&runs);
    return status;
}

/* The spec and its key are those of the header; the file may still be of another filter. */
static int check_twin(const uf_filter *filter, const uf_filter *own, uf_error *why)
{
    struct spec a, b;
    plan_of(filter, &a);
    plan_of(own, &b);
    if (filter->ops != own->ops || filter->word_count != own->word_count || filter->hasher.kind != own->hasher.kind ||
        is_released(filter) || specs_compare(&a, &b, NULL) != UF_OK ||
        (is_keyed(own) && !keying_same(&filter->hasher.stamp, &own->hasher.stamp)))
        return fail(why, UF_EFORMAT, "these bytes are damaged: the filter inside is not one of their spec");
    return UF_OK;
}

static int read_filter(uf_builder *builder, const struct head *head, const struct body *body, const uf_filter *own,
                       uf_error *why)
{
    struct partial partial = {.total = head->keys};
    int status = uf_load_bytes(body->at, body->bytes, UF_FORMAT_UF, &builder->ctx, &partial.filter, why);
    if (status != UF_OK)
        return status;
    status = check_twin(partial.filter, own, why);
    if (status == UF_OK)
        status = builder->way->take(builder->state, &partial, why);
    uf_free(partial.filter);
    return status;
}

/* Does the builder have what the bytes are about? */
static int check_builder(const uf_builder *builder, const struct head *head, uf_error *why)
{
    struct spec spec;
    char id[2][UF_KEY_ID_SIZE];
    int status = spec_parse(head->spec.text, &spec, why);
    if (status == UF_OK)
        status = specs_compare(&builder->want, &spec, why);
    if (status != UF_OK || !hash_is_keyed(builder->hasher.kind) || keying_same(&builder->hasher.stamp, &head->stamp))
        return status;
    keying_id_text(&head->stamp, id[0]);
    keying_id_text(&builder->hasher.stamp, id[1]);
    return fail(why, UF_EKEY, "these bytes were made with the key %s, and the one given is %s", id[0], id[1]);
}

static int fill(uf_builder *builder, const struct head *head, const struct body *body, uf_error *why)
{
    struct partial own = {.total = 0};
    int status = check_builder(builder, head, why);
    if (status == UF_OK)
        status = builder->way->lend(builder->state, &own, why);
    if (status != UF_OK)
        return status;
    if ((own.filter != NULL) != (head->form == FORM_FILTER))
        return fail(why, UF_EFORMAT, "these bytes are damaged: builders of their spec have another form");
    return own.filter ? read_filter(builder, head, body, own.filter, why) : read_hashes(builder, head, body, why);
}

/* The caller's spec, with the seed of the bytes where it has none. */
static int choose_spec(const uf_spec *want, const struct head *head, uf_spec *out, uf_error *why)
{
    struct spec mine, theirs;
    const struct filter_ops *ops;
    int status = spec_read(want->text, &mine, &ops, why);
    if (status == UF_OK && ops->learned)
        status = refuse_learned(ops, why);
    if (status == UF_OK && spec_parse(head->spec.text, &theirs, NULL) != UF_OK)
        status = fail(why, UF_EFORMAT, "these bytes are damaged: their spec is none");
    if (status != UF_OK)
        return status;
    const char *seed = spec_text(&theirs, "seed");
    if (seed && ops->hash == HASH_XXH3 && !spec_text(&mine, "seed"))
        status = spec_set_text(&mine, "seed", seed, why);
    return status == UF_OK ? spec_print(&mine, out, why) : status;
}

static int check_length(const struct head *head, size_t bytes, uf_error *why)
{
    if (head->form == FORM_HASHES && bytes != bytes_of_hashes(head->keys))
        return fail(why, UF_EFORMAT, "these bytes are damaged: %zu bytes follow the header, and %llu hashes take %llu",
                    bytes, (unsigned long long)head->keys, (unsigned long long)bytes_of_hashes(head->keys));
    return UF_OK;
}

int uf_builder_read(const uf_spec *want, const void *data, size_t bytes, const uf_context *ctx, uf_builder **out,
                    uf_error *why)
{
    uf_builder *builder = NULL;
    struct head head;
    uf_spec spec;
    error_clear(why);
    if (!want || !data || !out)
        return fail(why, UF_EINVAL, "no spec, no bytes or no place for the builder was given");
    int status = head_read(data, bytes, &head, why);
    if (status != UF_OK)
        return status;
    struct body body = {(const unsigned char *)data + HEAD_BYTES, bytes - HEAD_BYTES};
    status = check_length(&head, body.bytes, why);
    if (status == UF_OK)
        status = choose_spec(want, &head, &spec, why);
    if (status == UF_OK)
        status = uf_builder_new(&spec, ctx, &builder, why);
    if (status == UF_OK)
        status = fill(builder, &head, &body, why);
    if (status == UF_OK)
        *out = builder;
    else
        uf_builder_free(builder);
    return status;
}
