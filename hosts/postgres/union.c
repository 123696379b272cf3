/* SPDX-License-Identifier: MIT */
/* uf_union(filter): an aggregate over twins. A state is a filter, and between processes its bytes. */
#include "host.h"

static struct held *load(struct varlena *value, MemoryContext memory)
{
    struct held *held = held_new(memory);
    value_load(value, UF_FORMAT_UF, held, memory);
    return held;
}

static void merge(struct held *into, struct held *from)
{
    uf_error why;
    check(uf_merge(into->filter, from->filter, &why), &why);
    held_drop(from);
}

PG_FUNCTION_INFO_V1(ufpg_union);
Datum ufpg_union(PG_FUNCTION_ARGS)
{
    MemoryContext memory = aggregate_memory(fcinfo);
    struct held *into = PG_ARGISNULL(0) ? NULL : (struct held *)PG_GETARG_POINTER(0);
    if (PG_ARGISNULL(1)) {
        if (!into)
            PG_RETURN_NULL();
        PG_RETURN_POINTER(into);
    }
    if (!into)
        PG_RETURN_POINTER(load(PG_GETARG_VARLENA_PP(1), memory));
    merge(into, load(PG_GETARG_VARLENA_PP(1), CurrentMemoryContext));
    PG_RETURN_POINTER(into);
}

PG_FUNCTION_INFO_V1(ufpg_union_combine);
Datum ufpg_union_combine(PG_FUNCTION_ARGS)
{
    struct held *into = PG_ARGISNULL(0) ? NULL : (struct held *)PG_GETARG_POINTER(0);
    struct held *from = PG_ARGISNULL(1) ? NULL : (struct held *)PG_GETARG_POINTER(1);
    (void)aggregate_memory(fcinfo);
    if (!into && !from)
        PG_RETURN_NULL();
    if (into && from)
        merge(into, from);
    PG_RETURN_POINTER(into ? into : from);
}

PG_FUNCTION_INFO_V1(ufpg_union_serial);
Datum ufpg_union_serial(PG_FUNCTION_ARGS)
{
    (void)aggregate_memory(fcinfo);
    PG_RETURN_POINTER(value_of(((struct held *)PG_GETARG_POINTER(0))->filter));
}

PG_FUNCTION_INFO_V1(ufpg_union_deserial);
Datum ufpg_union_deserial(PG_FUNCTION_ARGS)
{
    PG_RETURN_POINTER(load(PG_GETARG_VARLENA_PP(0), aggregate_memory(fcinfo)));
}

PG_FUNCTION_INFO_V1(ufpg_union_final);
Datum ufpg_union_final(PG_FUNCTION_ARGS)
{
    (void)aggregate_memory(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    PG_RETURN_POINTER(value_of(((struct held *)PG_GETARG_POINTER(0))->filter));
}
