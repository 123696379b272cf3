/* SPDX-License-Identifier: MIT */
/* Zeroed memory on huge pages where the system gives them, aligned to 2 MiB. */
#ifndef UF_BENCH_PAGES_H
#define UF_BENCH_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct pages {
    void *at; /* NULL: nothing held */
    size_t bytes;
    void *map;
    size_t map_bytes;
};

/* 0, or -1 when the system has no such memory. */
int pages_get(struct pages *out, size_t bytes);
void pages_put(struct pages *pages);

/* Bytes that could be allocated now without swapping; 0 when the system does not tell. */
uint64_t pages_available(void);

/* How many of this process's bytes lie on transparent huge pages. */
uint64_t pages_huge(void);

#endif
