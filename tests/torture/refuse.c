/* SPDX-License-Identifier: MIT */
#undef _FILE_OFFSET_BITS /* mmap and mmap64 are two names here */
#include "refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t align, size_t bytes);
extern void __libc_free(void *memory);

static struct refusal own;
static struct refusal *refusal = &own;
static int armed;

static int refused(void)
{
    if (!__atomic_load_n(&armed, __ATOMIC_RELAXED) ||
        __atomic_add_fetch(&refusal->calls, 1, __ATOMIC_RELAXED) != refusal->at)
        return 0;
    errno = ENOMEM;
    return 1;
}

static void *counted(void *memory)
{
    if (memory)
        __atomic_add_fetch(&refusal->blocks, 1, __ATOMIC_RELAXED);
    return memory;
}

void *malloc(size_t bytes)
{
    return refused() ? NULL : counted(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t size)
{
    return refused() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t bytes)
{
    if (refused())
        return NULL;
    void *moved = __libc_realloc(memory, bytes);
    return memory ? moved : counted(moved);
}

void *memalign(size_t align, size_t bytes)
{
    return refused() ? NULL : counted(__libc_memalign(align, bytes));
}

void *aligned_alloc(size_t align, size_t bytes)
{
    return memalign(align, bytes);
}

int posix_memalign(void **out, size_t align, size_t bytes)
{
    void *memory = memalign(align, bytes);
    if (memory)
        *out = memory;
    return memory ? 0 : ENOMEM;
}

void free(void *memory)
{
    if (memory)
        __atomic_sub_fetch(&refusal->blocks, 1, __ATOMIC_RELAXED);
    __libc_free(memory);
}

/* Not what malloc itself maps, which it counted already. */
void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (refused())
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return mmap(address, bytes, protection, flags, fd, offset);
}

void refuse_start(uint64_t at)
{
    refusal->at = at;
    refusal->calls = 0;
    armed = 1;
}

uint64_t refuse_stop(void)
{
    armed = 0;
    return refusal->calls;
}

uint64_t refuse_blocks(void)
{
    return refusal->blocks;
}

__attribute__((constructor)) static void preloaded(void)
{
    const char *path = getenv("UF_TORTURE");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *page = mmap(NULL, sizeof *refusal, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (page == MAP_FAILED)
        abort();
    refusal = page;
    armed = 1;
    (void)getpgid(REFUSE_MARK);
}
