/* SPDX-License-Identifier: MIT */
/*
 * In RDB files, and what DUMP gives, a value is its pieces (image.h) as strings, and an empty string behind the last.
 */
#include "type.h"

#include "counters.h"
#include "image.h"
#include "jobs.h"
#include "replicate.h"

RedisModuleType *filter_type;

static int save_piece(void *io, const void *data, size_t bytes)
{
    RedisModule_SaveStringBuffer(io, data, bytes);
    return 0;
}

void type_save(RedisModuleIO *io, void *value)
{
    (void)image_write(value, save_piece, io, NULL);
    RedisModule_SaveStringBuffer(io, "", 0);
}

/* 1: there is another piece; 0: that was the last; a status: it is damaged. */
static int load_piece(RedisModuleIO *io, struct image *image, uf_error *why)
{
    size_t bytes = 0;
    char *piece = RedisModule_LoadStringBuffer(io, &bytes);
    if (RedisModule_IsIOError(io) || !piece) {
        if (piece)
            RedisModule_Free(piece);
        return UF_EIO;
    }
    int status = bytes ? image_feed(image, piece, bytes, why) : UF_OK;
    RedisModule_Free(piece);
    return status == UF_OK ? bytes > 0 : status;
}

void *type_load(RedisModuleIO *io, int version)
{
    uf_error why = {0, 0, ""};
    struct value *value = NULL;
    int more = 1;
    if (version != TYPE_VERSION)
        return NULL;
    struct image *image = image_new();
    while (more > 0)
        more = load_piece(io, image, &why);
    if (more == 0)
        more = image_finish(image, &value, &why);
    image_free(image);
    if (more != UF_OK) {
        counters.refused_loads++;
        RedisModule_LogIOError(io, "warning", "a filter was not loaded: %s",
                               why.text[0] ? why.text : "its bytes could not be read");
    }
    return value;
}

static void *release(void *value)
{
    value_release(value);
    return NULL;
}

/* The memory is wiped, a GB in a second when its pages were not used yet: in a thread, for DEL and for keys that
 * expire. Under maxmemory at once, since evictions go on until the memory is there. */
static void type_free(void *value)
{
    int at_once = value_memory(value) <= QUICK_BYTES || RedisModule_GetUsedMemoryRatio() > 0;
    if (at_once || job_thread(release, value))
        value_release(value);
}

/* Above 64, UNLINK and what is replaced goes to another thread. */
static size_t type_free_effort(RedisModuleString *key, const void *value)
{
    (void)key;
    return 1 + value_memory(value) / 4096;
}

static void *type_copy(RedisModuleString *from, RedisModuleString *to, const void *value)
{
    (void)from, (void)to;
    return value_copy(value, NULL);
}

static void type_digest(RedisModuleDigest *digest, void *value)
{
    const struct value *from = value;
    char fingerprint[UF_FINGERPRINT_SIZE];
    for (unsigned i = 0; i < from->levels; i++)
        if (uf_fingerprint(from->filter[i], fingerprint, NULL) == UF_OK)
            RedisModule_DigestAddStringBuffer(digest, fingerprint, sizeof fingerprint - 1);
    for (int i = 0; i < FIGURES; i++)
        RedisModule_DigestAddLongLong(digest, (long long)from->figures[i]);
    RedisModule_DigestEndSequence(digest);
}

static size_t type_memory(const void *value)
{
    return value_memory(value);
}

/* The handle moves; the words of a filter are one block each, which leaves no holes behind. */
static int type_defrag(RedisModuleDefragCtx *ctx, RedisModuleString *key, void **value)
{
    struct value *old = *value;
    (void)key;
    if (__atomic_load_n(&old->holders, __ATOMIC_RELAXED) > 1)
        return 0;
    void *moved = RedisModule_DefragAlloc(ctx, old);
    if (moved)
        *value = moved;
    return 0;
}

int type_create(RedisModuleCtx *ctx)
{
    RedisModuleTypeMethods methods = {
        .version = REDISMODULE_TYPE_METHOD_VERSION,
        .rdb_load = type_load,
        .rdb_save = type_save,
        .aof_rewrite = replicate_rewrite,
        .mem_usage = type_memory,
        .digest = type_digest,
        .free = type_free,
        .free_effort = type_free_effort,
        .copy = type_copy,
        .defrag = type_defrag,
    };
    filter_type = RedisModule_CreateDataType(ctx, TYPE_NAME, TYPE_VERSION, &methods);
    return filter_type ? REDISMODULE_OK : REDISMODULE_ERR;
}
