/* SPDX-License-Identifier: MIT */
#include "chunks.h"

#include <string.h>

#include "image.h"
#include "jobs.h"
#include "open.h"
#include "reply.h"
#include "sessions.h"

/* ---- dumps ---- */

/* What becomes of the bytes of a file: which command asked, and for what. */
struct dump {
    struct job job;
    RedisModuleString *name;
    struct value *value; /* lent */
    int scans;           /* BF.SCANDUMP */
    unsigned char *bytes;
    size_t count, capacity;
};

static int keep_bytes(void *arg, const void *data, size_t bytes)
{
    struct dump *dump = arg;
    if (bytes > dump->capacity - dump->count)
        return 1;
    memcpy(dump->bytes + dump->count, data, bytes);
    dump->count += bytes;
    return 0;
}

static size_t file_bytes(const struct value *value)
{
    uf_sizes sizes = {.file_bytes = 0};
    size_t sum = 0;
    for (unsigned i = 0; i < value->levels; i++)
        if (uf_get_sizes(value->filter[i], &sizes, sizeof sizes) == UF_OK)
            sum += (size_t)sizes.file_bytes;
    return sum;
}

static void run_dump(struct job *job)
{
    struct dump *dump = (struct dump *)job;
    dump->capacity = file_bytes(dump->value);
    dump->bytes = RedisModule_TryAlloc(dump->capacity);
    job->status = dump->bytes ? UF_OK : reply_set(&job->why, UF_ENOMEM, "there is no memory for a copy of the filter");
    for (unsigned i = 0; i < dump->value->levels && job->status == UF_OK; i++)
        job->status = uf_write(dump->value->filter[i], UF_FORMAT_UF, keep_bytes, dump, &job->why);
}

/* One piece of the bytes, and where the next begins: for scans iterators are one more than offsets. */
static void reply_piece(RedisModuleCtx *ctx, const unsigned char *bytes, size_t count, size_t offset, int scans)
{
    size_t step = count - offset < PIECE ? count - offset : PIECE, next = offset + step;
    (void)RedisModule_ReplyWithArray(ctx, 2);
    if (scans)
        (void)RedisModule_ReplyWithLongLong(ctx, step ? (long long)next + 1 : 0);
    else
        (void)RedisModule_ReplyWithLongLong(ctx, next == count ? 0 : (long long)next);
    (void)RedisModule_ReplyWithStringBuffer(ctx, (const char *)bytes + offset, step);
}

static int done_dump(RedisModuleCtx *ctx, struct job *job)
{
    struct dump *dump = (struct dump *)job;
    if (job->status != UF_OK)
        return reply_why(ctx, &job->why);
    reply_piece(ctx, dump->bytes, dump->count, 0, dump->scans);
    if (dump->count > PIECE || dump->scans) {
        struct session *session = session_begin(ctx, SESSION_DUMP, dump->name);
        session->bytes = dump->bytes;
        session->count = dump->count;
        dump->bytes = NULL;
    }
    return REDISMODULE_OK;
}

static void free_dump(struct job *job)
{
    struct dump *dump = (struct dump *)job;
    value_give_back(dump->value);
    RedisModule_FreeString(NULL, dump->name);
    RedisModule_Free(dump->bytes);
    RedisModule_Free(dump);
}

static int start_dump(RedisModuleCtx *ctx, RedisModuleString *name, struct value *value, int scans)
{
    if (value->levels > 1 && !scans)
        return RedisModule_ReplyWithError(ctx,
                                          "ERR this value has grown to several filters, which no one .uf file has: "
                                          "use DUMP or BF.SCANDUMP");
    struct dump *dump = RedisModule_Calloc(1, sizeof *dump);
    dump->job = (struct job){.run = run_dump, .done = done_dump, .free = free_dump};
    dump->name = RedisModule_HoldString(NULL, name);
    dump->value = value;
    dump->scans = scans;
    value_lend(value);
    return job_start(ctx, &dump->job, NULL, 0, value_memory(value) <= QUICK_BYTES);
}

static int go_on(RedisModuleCtx *ctx, RedisModuleString *name, size_t offset, int scans)
{
    struct session *session = session_find(ctx, SESSION_DUMP, name);
    if (!session || offset > session->count)
        return RedisModule_ReplyWithError(ctx, "ERR there is no such dump any more: begin again at 0");
    reply_piece(ctx, session->bytes, session->count, offset, scans);
    if (offset == session->count || (!scans && session->count - offset <= PIECE))
        session_end(session);
    return REDISMODULE_OK;
}

/* The value of a key for looking at; NULL: the reply was given. */
static struct value *look(RedisModuleCtx *ctx, RedisModuleString *name, enum family family)
{
    struct value *value = NULL;
    RedisModuleKey *key = RedisModule_OpenKey(ctx, name, REDISMODULE_READ);
    enum found found = open_value(key, family, &value);
    RedisModule_CloseKey(key);
    if (found == FOUND)
        return value;
    (void)open_refuse(ctx, found);
    return NULL;
}

int command_uf_dump(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    long long offset;
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    if (RedisModule_StringToLongLong(argv[2], &offset) != REDISMODULE_OK || offset < 0)
        return RedisModule_ReplyWithError(ctx, "ERR the offset is a number from 0");
    struct value *value = look(ctx, argv[1], FAMILY_UF);
    if (!value)
        return REDISMODULE_OK;
    return offset ? go_on(ctx, argv[1], (size_t)offset, 0) : start_dump(ctx, argv[1], value, 0);
}

static int keep_first(void *arg, const void *data, size_t bytes)
{
    memcpy(arg, data, bytes);
    return 1;
}

/* Iterator 0 is about the figures, 1 about the first bytes of the file. */
int command_bf_scandump(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    unsigned char first[IMAGE_FIRST];
    long long iterator;
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    struct value *value = look(ctx, argv[1], FAMILY_BF);
    if (!value)
        return REDISMODULE_OK;
    if (RedisModule_StringToLongLong(argv[2], &iterator) != REDISMODULE_OK || iterator < 0)
        return RedisModule_ReplyWithError(ctx, "Second argument must be numeric");
    if (iterator == 1)
        return start_dump(ctx, argv[1], value, 1);
    if (iterator)
        return go_on(ctx, argv[1], (size_t)iterator - 1, 1);
    (void)image_write(value, keep_first, first, NULL);
    (void)RedisModule_ReplyWithArray(ctx, 2);
    (void)RedisModule_ReplyWithLongLong(ctx, 1);
    return RedisModule_ReplyWithStringBuffer(ctx, (const char *)first, sizeof first);
}

/* ---- loads ---- */

/* What a load is for. */
struct loading {
    const char *event;
    int replaces; /* what is there */
    int counts;   /* replies are the next offset, and not OK */
};

/* The last piece: a thread checks the end of a large filter, counts its fill, and writes it down for replicas. */
struct load {
    struct job job;
    RedisModuleString *name, *piece;
    struct image *image;
    struct loading how;
    struct value *value;
    struct record *record;
};

static void run_load(struct job *job)
{
    struct load *load = (struct load *)job;
    uf_key piece = load->piece ? argument_key(load->piece) : (uf_key){NULL, 0};
    job->status = piece.size ? image_feed(load->image, piece.data, piece.size, &job->why) : UF_OK;
    if (job->status == UF_OK)
        job->status = image_finish(load->image, &load->value, &job->why);
    if (job->status == UF_OK)
        load->record = record_make(load->value);
}

static int done_load(RedisModuleCtx *ctx, struct job *job)
{
    struct load *load = (struct load *)job;
    struct value *there;
    if (job->status != UF_OK)
        return reply_why(ctx, &job->why);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, load->name, WRITING);
    enum found found = open_value(key, FAMILY_UF, &there);
    if (found == OTHER_TYPE || (found == FOUND && !load->how.replaces)) {
        RedisModule_CloseKey(key);
        return RedisModule_ReplyWithError(ctx, found == FOUND ? "ERR item exists" : REDISMODULE_ERRORMSG_WRONGTYPE);
    }
    open_set(ctx, load->name, key, load->value, load->record, load->how.event);
    load->value = NULL;
    RedisModule_CloseKey(key);
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

static void free_load(struct job *job)
{
    struct load *load = (struct load *)job;
    RedisModule_FreeString(NULL, load->name);
    if (load->piece)
        RedisModule_FreeString(NULL, load->piece);
    image_free(load->image);
    value_release(load->value);
    record_free(load->record);
    RedisModule_Free(load);
}

/* `piece` is the last one; NULL: it was fed already. */
static int finish_load(RedisModuleCtx *ctx, struct session *session, RedisModuleString *piece,
                       const struct loading *how)
{
    struct load *load = RedisModule_Calloc(1, sizeof *load);
    load->job = (struct job){.run = run_load, .done = done_load, .free = free_load};
    load->name = RedisModule_HoldString(NULL, session->name);
    load->piece = piece ? RedisModule_HoldString(NULL, piece) : NULL;
    load->image = session->image;
    load->how = *how;
    session->image = NULL;
    int quick = image_received(load->image) + (piece ? argument_key(piece).size : 0) <= QUICK_BYTES;
    session_end(session);
    return job_start(ctx, &load->job, NULL, 0, quick);
}

/* A piece at an offset of the file. */
static int feed(RedisModuleCtx *ctx, struct session *session, long long offset, RedisModuleString *piece,
                const struct loading *how)
{
    uf_error why = {0, 0, ""};
    uf_key bytes = argument_key(piece);
    if (!session || offset < 0 || (uint64_t)offset != image_received(session->image))
        return RedisModule_ReplyWithError(ctx, "ERR pieces come in their order, from the first: begin again");
    if (image_feed(session->image, bytes.data, bytes.size, &why) != UF_OK) {
        session_end(session);
        return reply_why(ctx, &why);
    }
    if (image_complete(session->image))
        return finish_load(ctx, session, NULL, how);
    return how->counts ? RedisModule_ReplyWithLongLong(ctx, offset + (long long)bytes.size)
                       : RedisModule_ReplyWithSimpleString(ctx, "OK");
}

static int is_last(const struct session *session, long long offset, const RedisModuleString *piece)
{
    return session && offset >= 0 && (uint64_t)offset == image_received(session->image) &&
           image_ends_with(session->image, argument_key(piece).data, argument_key(piece).size);
}

int command_uf_load(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    long long offset;
    const struct loading how = {"uf.load", argc == 5 && argument_is(argv[4], "REPLACE"), 1};
    if (argc != 4 && !how.replaces)
        return RedisModule_WrongArity(ctx);
    if (RedisModule_StringToLongLong(argv[2], &offset) != REDISMODULE_OK || offset < 0)
        return RedisModule_ReplyWithError(ctx, "ERR the offset is a number from 0");
    struct session *session =
        offset ? session_find(ctx, SESSION_LOAD, argv[1]) : session_begin(ctx, SESSION_LOAD, argv[1]);
    if (!offset) {
        session->image = image_new();
        image_start_plain(session->image);
    }
    return is_last(session, offset, argv[3]) ? finish_load(ctx, session, argv[3], &how)
                                             : feed(ctx, session, offset, argv[3], &how);
}

static int begin_loadchunk(RedisModuleCtx *ctx, RedisModuleString **argv)
{
    uf_error why = {0, 0, ""};
    uf_key first = argument_key(argv[3]);
    struct session *session = session_begin(ctx, SESSION_LOAD, argv[1]);
    session->image = image_new();
    if (image_feed(session->image, first.data, first.size, &why) == UF_OK)
        return RedisModule_ReplyWithSimpleString(ctx, "OK");
    session_end(session);
    return reply_why(ctx, &why);
}

int command_bf_loadchunk(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    static const struct loading how = {"bf.loadchunk", 0, 0};
    struct value *there;
    long long iterator;
    if (argc != 4)
        return RedisModule_WrongArity(ctx);
    if (RedisModule_StringToLongLong(argv[2], &iterator) != REDISMODULE_OK || iterator < 1)
        return RedisModule_ReplyWithError(ctx, "ERR Second argument must be numeric");
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ);
    enum found found = open_value(key, FAMILY_BF, &there);
    RedisModule_CloseKey(key);
    if (found != MISSING)
        return RedisModule_ReplyWithError(ctx, found == FOUND ? "ERR item exists" : REDISMODULE_ERRORMSG_WRONGTYPE);
    if (iterator == 1)
        return begin_loadchunk(ctx, argv);
    long long offset = iterator - 1 - (long long)argument_key(argv[3]).size;
    struct session *session = session_find(ctx, SESSION_LOAD, argv[1]);
    return is_last(session, offset, argv[3]) ? finish_load(ctx, session, argv[3], &how)
                                             : feed(ctx, session, offset, argv[3], &how);
}
