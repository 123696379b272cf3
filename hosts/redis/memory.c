/* SPDX-License-Identifier: MIT */
/*
 * Redis gives blocks on multiples of 16 and the library asks for up to 64. So a block is taken larger, and where it
 * began is written in front of what is handed out:
 *
 *     | ... | start | what the library has
 *
 * RedisModule_Calloc ends the server when there is no memory, and RedisModule_TryAlloc does not: the one is asked only
 * after the other.
 */
#include "memory.h"

#include <string.h>

static void *hand_out(void *start, size_t align)
{
    if (!start)
        return NULL;
    uintptr_t at = ((uintptr_t)start + sizeof(void *) + align - 1) & ~(uintptr_t)(align - 1);
    memcpy((void *)(at - sizeof start), &start, sizeof start);
    return (void *)at;
}

static int too_large(size_t bytes, size_t align)
{
    return bytes > PTRDIFF_MAX - align - sizeof(void *);
}

static void *memory_alloc(void *arg, size_t bytes, size_t align)
{
    (void)arg;
    align = align < sizeof(void *) ? sizeof(void *) : align;
    return too_large(bytes, align) ? NULL : hand_out(RedisModule_TryAlloc(bytes + align + sizeof(void *)), align);
}

static void *memory_zeroed(void *arg, size_t bytes, size_t align)
{
    (void)arg;
    align = align < sizeof(void *) ? sizeof(void *) : align;
    if (too_large(bytes, align))
        return NULL;
    void *probe = bytes > PIECE ? RedisModule_TryAlloc(bytes + align + sizeof(void *)) : NULL;
    if (!probe && bytes > PIECE)
        return NULL;
    RedisModule_Free(probe);
    return hand_out(RedisModule_Calloc(1, bytes + align + sizeof(void *)), align);
}

static void memory_release(void *arg, void *memory, size_t bytes)
{
    void *start;
    (void)arg, (void)bytes;
    if (!memory)
        return;
    memcpy(&start, (unsigned char *)memory - sizeof start, sizeof start);
    RedisModule_Free(start);
}

const uf_allocator redis_memory = {memory_alloc, memory_release, NULL, memory_zeroed};
