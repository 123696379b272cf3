/* SPDX-License-Identifier: MIT */
#include "mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CACHE_LINE = 64, HUGE_PAGE = 2 << 20 };

static int is_large(size_t bytes)
{
    return bytes >= HUGE_PAGE;
}

/* Maps one huge page more than needed, then gives back both ends, so that the block is aligned. The second is never
 * empty. `bytes` are PTRDIFF_MAX at most. */
static void *map_aligned(size_t bytes)
{
    size_t whole = bytes + HUGE_PAGE;
    unsigned char *start = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t head = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
    size_t kept = (bytes + 4095) / 4096 * 4096;
    if (head)
        munmap(start, head);
    munmap(start + head + kept, whole - head - kept);
    (void)madvise(start + head, kept, MADV_HUGEPAGE); /* a request: 4 KiB pages work too */
    return start + head;
}

static void *take(const struct mem *mem, size_t bytes)
{
    if (mem->hook.alloc)
        return mem->hook.alloc(mem->hook.arg, bytes, CACHE_LINE);
    if (is_large(bytes))
        return map_aligned(bytes);
    return aligned_alloc(CACHE_LINE, (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
}

void *mem_alloc_dirty(const struct mem *mem, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
        return NULL;
    return take(mem, bytes ? bytes : CACHE_LINE);
}

static void *take_zeroed(const struct mem *mem, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
        return NULL;
    return mem->hook.alloc_zeroed(mem->hook.arg, bytes ? bytes : CACHE_LINE, CACHE_LINE);
}

void *mem_alloc(const struct mem *mem, size_t count, size_t size)
{
    if (mem->hook.alloc_zeroed)
        return take_zeroed(mem, count, size);
    void *memory = mem_alloc_dirty(mem, count, size);
    int fresh_pages = !mem->hook.alloc && is_large(count * size);
    if (memory && !fresh_pages)
        memset(memory, 0, count * size);
    return memory;
}

void mem_free(const struct mem *mem, void *memory, size_t count, size_t size)
{
    size_t bytes = count * size;
    if (!memory)
        return;
    if (!mem->hook.alloc && is_large(bytes)) {
        munmap(memory, (bytes + 4095) / 4096 * 4096); /* the kernel clears pages before anyone sees them again */
        return;
    }
    explicit_bzero(memory, bytes);
    if (mem->hook.release)
        mem->hook.release(mem->hook.arg, memory, bytes ? bytes : CACHE_LINE);
    else if (!mem->hook.alloc)
        free(memory);
}

int mem_same(const struct mem *a, const struct mem *b)
{
    return a->hook.alloc == b->hook.alloc && a->hook.release == b->hook.release && a->hook.arg == b->hook.arg;
}
