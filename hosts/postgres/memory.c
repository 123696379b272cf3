/* SPDX-License-Identifier: MIT */
/*
 * Memory contexts as the library's allocator. No callback throws: memory that is not there is NULL, a cancelled query a
 * number. What is on multiples of 64 bytes has in front of it where PostgreSQL's piece begins.
 */
#include "host.h"
/* after it */
#include "miscadmin.h"

static void *take(void *arg, Size bytes, Size align)
{
    Size room = sizeof(void *) + align - 1;
    if (bytes > MaxAllocHugeSize - room)
        return NULL;
    char *piece = MemoryContextAllocExtended(arg, bytes + room, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
    if (!piece)
        return NULL;
    char *memory = (char *)TYPEALIGN(align, (uintptr_t)(piece + sizeof(void *)));
    memcpy(memory - sizeof(void *), &piece, sizeof piece);
    return memory;
}

static void give_back(void *arg, void *memory, Size bytes)
{
    void *piece;
    (void)arg;
    (void)bytes;
    memcpy(&piece, (char *)memory - sizeof(void *), sizeof piece);
    pfree(piece);
}

static int is_cancelled(void *arg, uint64_t done, uint64_t total)
{
    (void)arg;
    (void)done;
    (void)total;
    return InterruptPending && (QueryCancelPending || ProcDiePending);
}

uf_context host_context(MemoryContext memory)
{
    uf_context context = UF_CONTEXT_INIT;
    context.allocator = (uf_allocator){take, give_back, memory, NULL};
    context.progress = is_cancelled;
    context.secret_by_id = secret_find;
    return context;
}

void held_drop(struct held *held)
{
    uf_free(held->filter);
    uf_builder_free(held->builder);
    held->filter = NULL;
    held->builder = NULL;
}

static void on_reset(void *arg)
{
    held_drop(arg);
}

struct held *held_new(MemoryContext memory)
{
    struct held *held = MemoryContextAllocZero(memory, sizeof *held);
    held->callback.func = on_reset;
    held->callback.arg = held;
    MemoryContextRegisterResetCallback(memory, &held->callback);
    return held;
}

MemoryContext aggregate_memory(FunctionCallInfo fcinfo)
{
    MemoryContext memory;
    if (!AggCheckCallContext(fcinfo, &memory))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("ultrafilter: this function is a part of an aggregate and cannot be called by itself")));
    return memory;
}
