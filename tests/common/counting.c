/* SPDX-License-Identifier: MIT */
/* Every block has its size in front of it. Fresh blocks are full of rubbish, since nothing promises zeros. */
#include "counting.h"

#include <stdlib.h>
#include <string.h>

enum { FRONT = 128 }; /* a multiple of every alignment that is asked for */

static const uint64_t mark = UINT64_C(0x5ca1ab1ec0ffee42);

struct front {
    uint64_t mark;
    size_t bytes;
};

static size_t add(size_t *to, size_t value)
{
    return __atomic_add_fetch(to, value, __ATOMIC_RELAXED);
}

static void raise_to(size_t *most, size_t value)
{
    size_t now = __atomic_load_n(most, __ATOMIC_RELAXED);
    while (value > now && !__atomic_compare_exchange_n(most, &now, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void *counting_alloc(void *arg, size_t bytes, size_t align)
{
    struct counting *counting = arg;
    void *memory = NULL;
    size_t number = add(&counting->calls, 1);
    raise_to(&counting->largest, bytes);
    if (number == counting->fail_at || align > FRONT || bytes > SIZE_MAX - FRONT ||
        posix_memalign(&memory, align, FRONT + bytes))
        return NULL;
    *(struct front *)memory = (struct front){mark, bytes};
    memset((unsigned char *)memory + FRONT, 0xa5, bytes);
    add(&counting->blocks, 1);
    raise_to(&counting->peak, add(&counting->live, bytes));
    return (unsigned char *)memory + FRONT;
}

/* All bytes are equal to the next one, and the first is zero. */
static int is_wiped(const unsigned char *memory, size_t bytes)
{
    return !bytes || (!memory[0] && !memcmp(memory, memory + 1, bytes - 1));
}

static void counting_release(void *arg, void *memory, size_t bytes)
{
    struct counting *counting = arg;
    struct front *front = (void *)((unsigned char *)memory - FRONT);
    if (front->mark != mark || front->bytes != bytes) {
        add(&counting->wrong, 1);
        return;
    }
    if (!is_wiped(memory, bytes))
        add(&counting->unwiped, 1);
    front->mark = 0;
    __atomic_sub_fetch(&counting->blocks, 1, __ATOMIC_RELAXED);
    __atomic_sub_fetch(&counting->live, bytes, __ATOMIC_RELAXED);
    free(front);
}

uf_allocator counting_allocator(struct counting *counting)
{
    return (uf_allocator){.alloc = counting_alloc, .release = counting_release, .arg = counting};
}

static void *counting_alloc_zeroed(void *arg, size_t bytes, size_t align)
{
    struct counting *counting = arg;
    void *memory = counting_alloc(arg, bytes, align);
    add(&counting->zeroed, 1);
    return memory ? memset(memory, 0, bytes) : NULL;
}

uf_allocator counting_zeroing_allocator(struct counting *counting)
{
    uf_allocator allocator = counting_allocator(counting);
    allocator.alloc_zeroed = counting_alloc_zeroed;
    return allocator;
}

uf_context counting_context(struct counting *counting)
{
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.allocator = counting_allocator(counting);
    return ctx;
}

int counting_is_clean(const struct counting *counting)
{
    return !counting->blocks && !counting->live && !counting->wrong && !counting->unwiped;
}
