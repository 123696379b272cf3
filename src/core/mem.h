/* SPDX-License-Identifier: MIT */
/*
 * Checked memory. Every allocation of the library goes through mem_alloc, which checks count * size
 * for overflow and hands out zeroed memory on a cache line. Blocks of 2 MiB and more come straight
 * from the system, aligned for huge pages, unless the caller gave an allocator.
 */
#ifndef UF_MEM_H
#define UF_MEM_H

#include "ultrafilter.h"

struct mem {
    uf_allocator hook; /* all zero: the system */
};

/* Zeroed memory for count * size bytes, or NULL. Freed with mem_free and the same count and size. */
void *mem_alloc(const struct mem *mem, size_t count, size_t size);

/* The same without the promise of zeros, for buffers that are written before they are read. */
void *mem_alloc_dirty(const struct mem *mem, size_t count, size_t size);

/* Wipes what could be handed to someone else in this process, then frees. NULL is fine. */
void mem_free(const struct mem *mem, void *memory, size_t count, size_t size);

/* What one of them handed out may be freed by the other. */
int mem_same(const struct mem *a, const struct mem *b);

#endif
