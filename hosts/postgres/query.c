/* SPDX-License-Identifier: MIT */
/*
 * uf_contains and <@. A filter is loaded once and kept with the expression that asks it, as long as the value is the
 * same. One that lies outside its row is known by its toast pointer, so that it is not even fetched; a constant needs
 * no look; others are compared: small ones whole, large ones by their size, their first and last bytes, which have the
 * checksum of all checksums, and bytes at places drawn at random, so that values made to have equal checksums are told
 * apart, too.
 */
#include "host.h"
/* after it */
#include "access/detoast.h"
#include "nodes/primnodes.h"

enum { COMPARED_WHOLE = 256, HEAD = 64, TAIL = 16, PLACES = 32 };

struct cache {
    MemoryContext memory; /* of the filter, emptied when another comes */
    struct held *held;
    int constant;
    int external; /* `pointer` says which it is; otherwise `sample` */
    struct varatt_external pointer;
    Size size;
    uint32 place[PLACES]; /* of a large value: which of its bytes are in the sample */
    char sample[COMPARED_WHOLE];
};

/* Keeps the bytes that a value is told by. */
static void take_sample(struct cache *cache, const char *bytes)
{
    if (cache->size <= COMPARED_WHOLE) {
        memcpy(cache->sample, bytes, cache->size);
        return;
    }
    if (!pg_strong_random(cache->place, sizeof cache->place))
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("ultrafilter: the system gives no randomness")));
    memcpy(cache->sample, bytes, HEAD);
    memcpy(cache->sample + HEAD, bytes + cache->size - TAIL, TAIL);
    for (unsigned i = 0; i < PLACES; i++) {
        cache->place[i] %= (uint32)cache->size;
        cache->sample[HEAD + TAIL + i] = bytes[cache->place[i]];
    }
}

static int fits_sample(const struct cache *cache, const char *bytes)
{
    int differs = 0;
    if (cache->size <= COMPARED_WHOLE)
        return !memcmp(bytes, cache->sample, cache->size);
    if (memcmp(bytes, cache->sample, HEAD) != 0 || memcmp(bytes + cache->size - TAIL, cache->sample + HEAD, TAIL) != 0)
        return 0;
    for (unsigned i = 0; i < PLACES; i++)
        differs |= bytes[cache->place[i]] ^ cache->sample[HEAD + TAIL + i];
    return !differs;
}

static int is_same(const struct cache *cache, const struct varlena *value)
{
    struct varatt_external pointer;
    if (!cache->held)
        return 0;
    if (cache->constant)
        return 1;
    if (VARATT_IS_EXTERNAL_ONDISK(value)) {
        VARATT_EXTERNAL_GET_POINTER(pointer, value);
        return cache->external && !memcmp(&pointer, &cache->pointer, sizeof pointer);
    }
    if (cache->external || VARATT_IS_EXTERNAL(value) || VARATT_IS_COMPRESSED(value))
        return 0;
    return VARSIZE_ANY_EXHDR(value) == cache->size && fits_sample(cache, VARDATA_ANY(value));
}

static void remember(struct cache *cache, struct varlena *value)
{
    struct held *held;
    cache->held = NULL;
    MemoryContextReset(cache->memory);
    struct varlena *whole = PG_DETOAST_DATUM_PACKED(PointerGetDatum(value));
    held = held_new(cache->memory);
    value_load(whole, UF_FORMAT_UF, held, cache->memory);
    if (value_is_barred(held->filter))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("ultrafilter: the keys of this filter were made lowercase or trimmed when it was built, "
                               "which is not done here"),
                        errhint("Ask it with the program ultrafilter, or build one of the keys as they are.")));
    cache->external = VARATT_IS_EXTERNAL_ONDISK(value);
    if (cache->external)
        VARATT_EXTERNAL_GET_POINTER(cache->pointer, value);
    cache->size = VARSIZE_ANY_EXHDR(whole);
    take_sample(cache, VARDATA_ANY(whole));
    cache->held = held;
    if (whole != value)
        pfree(whole);
}

/* A parameter is none: PL/pgSQL keeps an expression with its cache over all values that a variable takes. */
static int is_constant(const FmgrInfo *call, int argument)
{
    const Node *expression = call->fn_expr;
    const List *arguments = NIL;
    if (expression && IsA(expression, FuncExpr))
        arguments = ((const FuncExpr *)expression)->args;
    else if (expression && IsA(expression, OpExpr))
        arguments = ((const OpExpr *)expression)->args;
    return list_length(arguments) > argument && IsA(list_nth(arguments, argument), Const);
}

static struct cache *cache_of(FmgrInfo *call, int argument)
{
    struct cache *cache = call->fn_extra;
    if (cache)
        return cache;
    cache = MemoryContextAllocZero(call->fn_mcxt, sizeof *cache);
    cache->memory = AllocSetContextCreate(call->fn_mcxt, "ultrafilter", ALLOCSET_SMALL_SIZES);
    cache->constant = is_constant(call, argument);
    call->fn_extra = cache;
    return cache;
}

static Datum contains(FunctionCallInfo fcinfo, enum key_class class, int filter, int key)
{
    struct cache *cache = cache_of(fcinfo->flinfo, filter);
    struct varlena *value = (struct varlena *)PG_GETARG_POINTER(filter);
    unsigned char word[8];
    if (!is_same(cache, value))
        remember(cache, value);
    PG_RETURN_BOOL(uf_query(cache->held->filter, key_of(class, PG_GETARG_DATUM(key), word)) != 0);
}

#define CONTAINS(name, class)                    \
    PG_FUNCTION_INFO_V1(ufpg_contains_##name);   \
    Datum ufpg_contains_##name(PG_FUNCTION_ARGS) \
    {                                            \
        return contains(fcinfo, class, 0, 1);    \
    }                                            \
    PG_FUNCTION_INFO_V1(ufpg_in_##name);         \
    Datum ufpg_in_##name(PG_FUNCTION_ARGS)       \
    {                                            \
        return contains(fcinfo, class, 1, 0);    \
    }

CONTAINS(bytes, KEY_BYTES)
CONTAINS(int8, KEY_INT8)
CONTAINS(uuid, KEY_UUID)
