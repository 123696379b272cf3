/* SPDX-License-Identifier: MIT */
/*
 * Redis gives blocks on multiples of 16 and the library asks for up to 64. So a block is taken larger, and where it
 * began is written in front of what is handed out:
 *
 *     | ... | start | what the library has
 *
 * Large blocks of zeros are fresh pages of the system, which cost nothing until they are used. RedisModule_Calloc gives
 * them, but ends the server when there is no memory; RedisModule_TryAlloc does not, but what it hands back is used
 * memory, which Calloc would then have to clear. So the system itself is asked first whether it would.
 */
#include "memory.h"

#include <string.h>
#include <sys/mman.h>

struct account {
    size_t bytes; /* of all blocks */
    int holders;
};

static void *hand_out(void *start, size_t align)
{
    if (!start)
        return NULL;
    uintptr_t at = ((uintptr_t)start + sizeof(void *) + align - 1) & ~(uintptr_t)(align - 1);
    memcpy((void *)(at - sizeof start), &start, sizeof start);
    return (void *)at;
}

/* What to ask for, so that a block can begin on a multiple of `align`; 0: nobody has so much. */
static size_t with_start(size_t bytes, size_t *align)
{
    *align = *align < sizeof(void *) ? sizeof(void *) : *align;
    return bytes > PTRDIFF_MAX - *align - sizeof(void *) ? 0 : bytes + *align + sizeof(void *);
}

static void *charge(struct account *account, void *start)
{
    if (account && start)
        __atomic_add_fetch(&account->bytes, RedisModule_MallocSize(start), __ATOMIC_RELAXED);
    return start;
}

static void *memory_alloc(void *account, size_t bytes, size_t align)
{
    size_t whole = with_start(bytes, &align);
    return whole ? hand_out(charge(account, RedisModule_TryAlloc(whole)), align) : NULL;
}

static int system_has(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages != MAP_FAILED && munmap(pages, bytes) == 0;
}

static void *memory_zeroed(void *account, size_t bytes, size_t align)
{
    size_t whole = with_start(bytes, &align);
    if (!whole || (whole > PIECE && !system_has(whole)))
        return NULL;
    return hand_out(charge(account, RedisModule_Calloc(1, whole)), align);
}

static void memory_release(void *account, void *memory, size_t bytes)
{
    void *start;
    (void)bytes;
    if (!memory)
        return;
    memcpy(&start, (unsigned char *)memory - sizeof start, sizeof start);
    if (account)
        __atomic_sub_fetch(&((struct account *)account)->bytes, RedisModule_MallocSize(start), __ATOMIC_RELAXED);
    RedisModule_Free(start);
}

const uf_allocator redis_memory = {memory_alloc, memory_release, NULL, memory_zeroed};

struct account *account_new(void)
{
    struct account *account = RedisModule_Calloc(1, sizeof *account);
    account->holders = 1;
    return account;
}

void account_hold(struct account *account)
{
    __atomic_add_fetch(&account->holders, 1, __ATOMIC_RELAXED);
}

void account_release(struct account *account)
{
    if (account && !__atomic_sub_fetch(&account->holders, 1, __ATOMIC_ACQ_REL))
        RedisModule_Free(account);
}

size_t account_bytes(const struct account *account)
{
    /* MallocSize takes what it only looks at as if it changed it. */
    return __atomic_load_n(&account->bytes, __ATOMIC_RELAXED) + RedisModule_MallocSize((void *)(uintptr_t)account);
}

uf_allocator account_memory(struct account *account)
{
    uf_allocator memory = redis_memory;
    memory.arg = account;
    return memory;
}
