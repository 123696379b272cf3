/* SPDX-License-Identifier: MIT */
/*
 * The control of the memory check: the extension's own files with a planted leak. uf_leaky(filter) loads a filter as
 * uf_info does, into a context that lives as long as the session, and forgets it.
 */
#include "host.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(uf_leaky);
Datum uf_leaky(PG_FUNCTION_ARGS)
{
    struct held *held = held_new(TopMemoryContext);
    value_load(PG_GETARG_VARLENA_PP(0), UF_WITHOUT_KEY, held, TopMemoryContext);
    PG_RETURN_VOID();
}
