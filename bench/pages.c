/* SPDX-License-Identifier: MIT */
/*
 * Memory for keys and for the tables of the limits: one anonymous mapping, cut to a 2 MiB boundary and advised to use
 * huge pages, because that is what a filter of the library gets. With 4 KiB pages a random read of 1 GiB costs almost
 * twice as much, all of it in page walks; comparing a filter on huge pages with such a limit would flatter the filter.
 */
#include "pages.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

int pages_get(struct pages *out, size_t bytes)
{
    size_t round = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    size_t whole = round + HUGE_PAGE;
    void *map = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        return -1;
    }
    uintptr_t start = ((uintptr_t)map + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    /* Advice that is refused leaves small pages: slower, still right. */
    (void)madvise((void *)start, round, MADV_HUGEPAGE);
    *out = (struct pages){(void *)start, bytes, map, whole};
    return 0;
}

void pages_put(struct pages *pages)
{
    if (pages->at) {
        munmap(pages->map, pages->map_bytes);
    }
    *pages = (struct pages){0};
}

/* The number of KiB behind `label` in a /proc file of "Label:   123 kB" lines, in bytes. */
static uint64_t proc_bytes(const char *path, const char *label)
{
    FILE *file = fopen(path, "r");
    char line[256];
    unsigned long long kib = 0;
    if (!file) {
        return 0;
    }
    while (fgets(line, sizeof line, file)) {
        size_t length = strlen(label);
        if (strncmp(line, label, length) == 0 && sscanf(line + length, ": %llu", &kib) == 1) {
            break;
        }
    }
    fclose(file);
    return kib * 1024;
}

uint64_t pages_available(void)
{
    return proc_bytes("/proc/meminfo", "MemAvailable");
}

uint64_t pages_huge(void)
{
    return proc_bytes("/proc/self/smaps_rollup", "AnonHugePages");
}
