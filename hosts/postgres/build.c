/* SPDX-License-Identifier: MIT */
/*
 * uf_build(key, spec): an aggregate that collects keys in batches, in any number of processes. A state is a builder of
 * the library and keys that wait for it; between processes it travels as the bytes of the builder.
 *
 * Builders become one when their seeds are equal, so the processes of one statement draw the same: a hash of what they
 * all know (which process leads, when the statement began, the spec) and of a random number that the cluster got when
 * it was made and shows to nobody. A spec with a seed keeps it: processes of other servers need that.
 */
#include "host.h"
/* after it */
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_control.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/builtins.h"

/* Keys wait until there are so many, or so many bytes of them. */
enum { MOST_WAITING = 2048, MOST_BYTES = 32768, FIRST_WAITING = 8, FIRST_BYTES = 128 };

struct build {
    struct held *held;
    struct varlena *said; /* the spec as it was given */
    char *bytes;          /* of keys that wait */
    int32 *offsets;       /* one more than keys */
    int32 count, keys_room, bytes_room;
};

/* ---- specs ---- */

static uint64 seed_of_statement(const char *spec)
{
    const PGPROC *leader = MyProc->lockGroupLeader ? MyProc->lockGroupLeader : MyProc;
    const TimestampTz began = GetCurrentStatementStartTimestamp();
    unsigned char digest[PG_SHA256_DIGEST_LENGTH];
    pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);
    uint64 seed;
    if (!hash || pg_cryptohash_init(hash) < 0 ||
        pg_cryptohash_update(hash, (uint8 *)GetMockAuthenticationNonce(), MOCK_AUTH_NONCE_LEN) < 0 ||
        pg_cryptohash_update(hash, (const uint8 *)"ultrafilter seed", 16) < 0 ||
        pg_cryptohash_update(hash, (const uint8 *)&leader->pid, sizeof leader->pid) < 0 ||
        pg_cryptohash_update(hash, (const uint8 *)&began, sizeof began) < 0 ||
        pg_cryptohash_update(hash, (const uint8 *)spec, strlen(spec)) < 0 ||
        pg_cryptohash_final(hash, digest, sizeof digest) < 0)
        elog(ERROR, "ultrafilter: no SHA-256: %s", pg_cryptohash_error(hash));
    pg_cryptohash_free(hash);
    memcpy(&seed, digest, sizeof seed);
    return seed;
}

/* As it was given, with a seed. */
static void read_spec(const struct varlena *said, uf_spec *out)
{
    char *text = text_to_cstring(said);
    char seed[32];
    uf_error why;
    check(uf_spec_parse(text, out, &why), &why);
    if (uf_spec_takes(out, "seed") && uf_spec_get_text(out, "seed", seed, sizeof seed) != UF_OK) {
        snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)seed_of_statement(out->text));
        check(uf_spec_set(out, "seed", seed, &why), &why);
    }
    pfree(text);
}

static uf_context context_for(const uf_spec *spec, MemoryContext memory)
{
    uf_context context = host_context(memory);
    char seed[32];
    int derived = uf_spec_get_text(spec, "seed", seed, sizeof seed) == UF_OK && !strcmp(seed, "derived");
    if (derived || uf_spec_is_keyed(spec))
        context.secret = secret_needed();
    return context;
}

/* ---- states ---- */

static struct build *build_new(MemoryContext memory, const struct varlena *said)
{
    MemoryContext before = MemoryContextSwitchTo(memory);
    struct build *build = palloc0(sizeof *build);
    build->said = palloc(VARSIZE_ANY_EXHDR(said) + VARHDRSZ);
    SET_VARSIZE(build->said, VARSIZE_ANY_EXHDR(said) + VARHDRSZ);
    memcpy(VARDATA(build->said), VARDATA_ANY(said), VARSIZE_ANY_EXHDR(said));
    build->held = held_new(memory);
    build->keys_room = FIRST_WAITING;
    build->bytes_room = FIRST_BYTES;
    build->offsets = palloc0(sizeof *build->offsets * (FIRST_WAITING + 1));
    build->bytes = palloc(FIRST_BYTES);
    MemoryContextSwitchTo(before);
    return build;
}

static void flush(struct build *build)
{
    uf_error why;
    if (build->count)
        check(uf_builder_add_offsets(build->held->builder, build->bytes, build->offsets, 4, (size_t)build->count, &why),
              &why);
    build->count = 0;
}

/* Room for one key more of so many bytes. Small groups keep small buffers. */
static void make_room(struct build *build, Size bytes)
{
    Size needed = (Size)build->offsets[build->count] + bytes;
    if (build->count == MOST_WAITING || needed > MOST_BYTES) {
        flush(build);
        needed = bytes;
    }
    if (build->count == build->keys_room) {
        build->keys_room *= 4;
        build->offsets = repalloc(build->offsets, sizeof *build->offsets * ((Size)build->keys_room + 1));
    }
    if (needed > (Size)build->bytes_room) {
        while (needed > (Size)build->bytes_room)
            build->bytes_room *= 2;
        build->bytes = repalloc(build->bytes, (Size)build->bytes_room);
    }
}

static void add_key(struct build *build, uf_key key)
{
    uf_error why;
    if (key.size > MOST_BYTES) {
        check(uf_builder_add(build->held->builder, &key, 1, &why), &why);
        return;
    }
    make_room(build, key.size);
    int32 at = build->offsets[build->count];
    memcpy(build->bytes + at, key.data, key.size);
    build->offsets[++build->count] = at + (int32)key.size;
}

static void check_spec(const struct build *build, const struct varlena *said)
{
    Size bytes = VARSIZE_ANY_EXHDR(said);
    if (bytes != VARSIZE_ANY_EXHDR(build->said) || memcmp(VARDATA_ANY(said), VARDATA_ANY(build->said), bytes) != 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("ultrafilter: the spec of a filter must be the same for all of its keys")));
}

static struct build *build_start(MemoryContext memory, const struct varlena *said)
{
    struct build *build = build_new(memory, said);
    uf_spec spec;
    uf_error why;
    read_spec(said, &spec);
    const uf_context context = context_for(&spec, memory);
    check(uf_builder_new(&spec, &context, &build->held->builder, &why), &why);
    return build;
}

/* ---- the aggregate ---- */

static Datum step(FunctionCallInfo fcinfo, enum key_class class)
{
    MemoryContext memory = aggregate_memory(fcinfo);
    struct build *build = PG_ARGISNULL(0) ? NULL : (struct build *)PG_GETARG_POINTER(0);
    unsigned char word[8];
    if (PG_ARGISNULL(2))
        ereport(ERROR,
                (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("ultrafilter: the spec of a filter cannot be NULL")));
    const struct varlena *said = PG_GETARG_VARLENA_PP(2);
    if (!build)
        build = build_start(memory, said);
    else
        check_spec(build, said);
    if (!PG_ARGISNULL(1))
        add_key(build, key_of(class, PG_GETARG_DATUM(1), word));
    PG_RETURN_POINTER(build);
}

PG_FUNCTION_INFO_V1(ufpg_build_bytes);
Datum ufpg_build_bytes(PG_FUNCTION_ARGS)
{
    return step(fcinfo, KEY_BYTES);
}

PG_FUNCTION_INFO_V1(ufpg_build_int8);
Datum ufpg_build_int8(PG_FUNCTION_ARGS)
{
    return step(fcinfo, KEY_INT8);
}

PG_FUNCTION_INFO_V1(ufpg_build_uuid);
Datum ufpg_build_uuid(PG_FUNCTION_ARGS)
{
    return step(fcinfo, KEY_UUID);
}

PG_FUNCTION_INFO_V1(ufpg_build_combine);
Datum ufpg_build_combine(PG_FUNCTION_ARGS)
{
    struct build *into = PG_ARGISNULL(0) ? NULL : (struct build *)PG_GETARG_POINTER(0);
    struct build *from = PG_ARGISNULL(1) ? NULL : (struct build *)PG_GETARG_POINTER(1);
    uf_error why;
    (void)aggregate_memory(fcinfo);
    if (!from || !into) {
        if (!from && !into)
            PG_RETURN_NULL();
        PG_RETURN_POINTER(from ? from : into);
    }
    check_spec(into, from->said);
    flush(into);
    flush(from);
    check(uf_builder_merge(into->held->builder, from->held->builder, &why), &why);
    held_drop(from->held);
    pfree(from->bytes);
    pfree(from->offsets);
    PG_RETURN_POINTER(into);
}

/* ---- between processes: u32 bytes of the spec as given, that, the library's own spec, the builder ---- */

struct growing {
    char *bytes; /* a varlena */
    Size size, room;
};

static int grow(void *arg, const void *data, size_t bytes)
{
    struct growing *to = arg;
    if (bytes > to->room - to->size) {
        Size room = 2 * (to->size + bytes);
        if (room > MaxAllocSize)
            room = MaxAllocSize;
        char *larger = room - to->size < bytes ? NULL : palloc_extended(room, MCXT_ALLOC_NO_OOM);
        if (!larger)
            return 1;
        memcpy(larger, to->bytes, to->size);
        pfree(to->bytes);
        to->bytes = larger;
        to->room = room;
    }
    memcpy(to->bytes + to->size, data, bytes);
    to->size += bytes;
    return 0;
}

PG_FUNCTION_INFO_V1(ufpg_build_serial);
Datum ufpg_build_serial(PG_FUNCTION_ARGS)
{
    struct build *build = (struct build *)PG_GETARG_POINTER(0);
    struct growing to = {palloc(8192), VARHDRSZ, 8192};
    uint32 said = (uint32)VARSIZE_ANY_EXHDR(build->said);
    uf_spec spec;
    uf_error why;
    (void)aggregate_memory(fcinfo);
    flush(build);
    check(uf_builder_get_spec(build->held->builder, &spec), &(uf_error){.text = ""});
    int full =
        grow(&to, &said, sizeof said) || grow(&to, VARDATA_ANY(build->said), said) || grow(&to, &spec, sizeof spec);
    int status = full ? UF_EIO : uf_builder_write(build->held->builder, grow, &to, &why);
    if (status == UF_EIO)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("ultrafilter: what one process collected does not fit into 1 GB"),
                        errhint("Give the spec an n, or build with max_parallel_workers_per_gather = 0.")));
    check(status, &why);
    SET_VARSIZE(to.bytes, to.size);
    PG_RETURN_BYTEA_P((bytea *)to.bytes);
}

PG_FUNCTION_INFO_V1(ufpg_build_deserial);
Datum ufpg_build_deserial(PG_FUNCTION_ARGS)
{
    MemoryContext memory = aggregate_memory(fcinfo);
    struct varlena *bytes = PG_GETARG_VARLENA_PP(0);
    const char *at = VARDATA_ANY(bytes);
    Size left = VARSIZE_ANY_EXHDR(bytes);
    uint32 said;
    uf_spec spec;
    uf_error why;
    memcpy(&said, at, Min(sizeof said, left));
    if (left < sizeof said || left - sizeof said < said || left - sizeof said - said < sizeof spec)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("ultrafilter: a partial filter is cut")));
    struct varlena *given = (struct varlena *)cstring_to_text_with_len(at + sizeof said, (int)said);
    memcpy(&spec, at + sizeof said + said, sizeof spec);
    spec.text[sizeof spec.text - 1] = '\0';
    at += sizeof said + said + sizeof spec;
    left -= sizeof said + said + sizeof spec;
    struct build *build = build_new(memory, given);
    const uf_context context = context_for(&spec, memory);
    check(uf_builder_read(&spec, at, left, &context, &build->held->builder, &why), &why);
    PG_RETURN_POINTER(build);
}

PG_FUNCTION_INFO_V1(ufpg_build_final);
Datum ufpg_build_final(PG_FUNCTION_ARGS)
{
    struct build *build;
    uf_error why;
    (void)aggregate_memory(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    build = (struct build *)PG_GETARG_POINTER(0);
    flush(build);
    check(uf_builder_finish(build->held->builder, &build->held->filter, &why), &why);
    struct varlena *value = value_of(build->held->filter);
    held_drop(build->held);
    PG_RETURN_POINTER(value);
}
