/* SPDX-License-Identifier: MIT */
/*
 * The type: a varlena whose bytes are a filter's compact form (docs/format.md#compact-values). Nothing gets in or out
 * that was not checked whole. As text it is base64, and what comes in may be a .uf file as well.
 */
#include "host.h"
/* after it */
#include "common/base64.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"

/* ---- bytes ---- */

static void load_bytes(const void *data, Size bytes, unsigned how, struct held *held, MemoryContext memory)
{
    uf_context context = host_context(memory);
    uf_error why;
    check(uf_load_bytes(data, bytes, how, &context, &held->filter, &why), &why);
}

void value_load(struct varlena *value, unsigned how, struct held *held, MemoryContext memory)
{
    load_bytes(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), how, held, memory);
}

struct held *value_look(struct varlena *value)
{
    struct held *held = held_new(CurrentMemoryContext);
    value_load(value, UF_WITHOUT_KEY, held, CurrentMemoryContext);
    return held;
}

int value_is_barred(const uf_filter *filter)
{
    return (uf_get_normal(filter) & (UF_NORMAL_LOWERCASE | UF_NORMAL_TRIM)) != 0;
}

struct writing {
    char *at;
    Size left;
};

static int put(void *arg, const void *data, size_t bytes)
{
    struct writing *writing = arg;
    if (bytes > writing->left)
        return 1;
    memcpy(writing->at, data, bytes);
    writing->at += bytes;
    writing->left -= bytes;
    return 0;
}

/* In either format: a packed header may have a few bytes more than a page, and has far fewer as a rule. */
static struct varlena *written(const uf_filter *filter, unsigned how)
{
    uf_sizes sizes;
    uf_error why;
    check(uf_get_sizes(filter, &sizes, sizeof sizes), &(uf_error){.text = ""});
    if (sizes.file_bytes > MaxAllocSize - VARHDRSZ - 1024)
        ereport(ERROR,
                (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("ultrafilter: a filter of " UINT64_FORMAT
                                                                 " bytes is too large for a value of PostgreSQL, which "
                                                                 "has at most 1 GB",
                                                                 sizes.file_bytes)));
    Size room = VARHDRSZ + (Size)sizes.file_bytes + 1024;
    struct varlena *value = palloc(room);
    struct writing writing = {VARDATA(value), room - VARHDRSZ};
    check(uf_write(filter, how, put, &writing, &why), &why);
    SET_VARSIZE(value, room - writing.left);
    return value;
}

struct varlena *value_of(const uf_filter *filter)
{
    return written(filter, UF_FORMAT_COMPACT);
}

/* Bytes of either format to a value, checked. */
static struct varlena *value_from(const void *data, Size bytes)
{
    struct held *held = held_new(CurrentMemoryContext);
    load_bytes(data, bytes, UF_WITHOUT_KEY, held, CurrentMemoryContext);
    struct varlena *value = value_of(held->filter);
    held_drop(held);
    return value;
}

/* ---- in and out ---- */

PG_FUNCTION_INFO_V1(ufpg_in);
Datum ufpg_in(PG_FUNCTION_ARGS)
{
    const char *text = PG_GETARG_CSTRING(0);
    Size length = strlen(text);
    if (length > MaxAllocSize / 2)
        ereport(ERROR,
                (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("ultrafilter: the text of a filter is too long")));
    char *bytes = palloc((Size)pg_b64_dec_len((int)length) + 1);
    int got = pg_b64_decode(text, (int)length, bytes, pg_b64_dec_len((int)length));
    if (got < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                        errmsg("ultrafilter: the text of a filter is base64, and this is not")));
    struct varlena *value = value_from(bytes, (Size)got);
    pfree(bytes);
    PG_RETURN_POINTER(value);
}

PG_FUNCTION_INFO_V1(ufpg_out);
Datum ufpg_out(PG_FUNCTION_ARGS)
{
    struct varlena *value = PG_GETARG_VARLENA_PP(0);
    held_drop(value_look(value));
    int length = pg_b64_enc_len((int)VARSIZE_ANY_EXHDR(value));
    char *text = MemoryContextAllocHuge(CurrentMemoryContext, (Size)length + 1);
    int got = pg_b64_encode(VARDATA_ANY(value), (int)VARSIZE_ANY_EXHDR(value), text, length);
    if (got < 0)
        elog(ERROR, "ultrafilter: base64 failed");
    text[got] = '\0';
    PG_RETURN_CSTRING(text);
}

PG_FUNCTION_INFO_V1(ufpg_recv);
Datum ufpg_recv(PG_FUNCTION_ARGS)
{
    StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
    int bytes = message->len - message->cursor;
    PG_RETURN_POINTER(value_from(pq_getmsgbytes(message, bytes), (Size)bytes));
}

PG_FUNCTION_INFO_V1(ufpg_send);
Datum ufpg_send(PG_FUNCTION_ARGS)
{
    struct varlena *value = PG_GETARG_VARLENA_P(0);
    held_drop(value_look(value));
    PG_RETURN_BYTEA_P((bytea *)value);
}

PG_FUNCTION_INFO_V1(ufpg_from_bytea);
Datum ufpg_from_bytea(PG_FUNCTION_ARGS)
{
    struct varlena *bytes = PG_GETARG_VARLENA_PP(0);
    PG_RETURN_POINTER(value_from(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)));
}

/* The bytes of its .uf file. */
PG_FUNCTION_INFO_V1(ufpg_file);
Datum ufpg_file(PG_FUNCTION_ARGS)
{
    struct held *held = value_look(PG_GETARG_VARLENA_PP(0));
    struct varlena *bytes = written(held->filter, UF_FORMAT_UF);
    held_drop(held);
    PG_RETURN_BYTEA_P((bytea *)bytes);
}
