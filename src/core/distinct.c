/* SPDX-License-Identifier: MIT */
#include "distinct.h"

#include <stdlib.h>

static int same(struct hash128 a, struct hash128 b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

static size_t table_size(uint64_t keys)
{
    size_t size = 16;
    while (size < 2 * keys)
        size *= 2;
    return size;
}

/* The table holds indexes + 1. */
static uint64_t keep_first(struct hash128 *keys, uint64_t count, uint32_t *table, size_t size)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        size_t at = (size_t)(keys[i].lo & (size - 1));
        while (table[at] && !same(keys[table[at] - 1], keys[i]))
            at = (at + 1) & (size - 1);
        if (table[at])
            continue;
        keys[kept] = keys[i];
        table[at] = (uint32_t)++kept;
    }
    return kept;
}

int distinct_keys(const struct mem *mem, struct hash128 *keys, uint64_t *count)
{
    size_t size = table_size(*count);
    uint32_t *table = *count < UINT32_MAX ? mem_alloc(mem, size, sizeof *table) : NULL;
    if (!table)
        return UF_ENOMEM;
    *count = keep_first(keys, *count, table, size);
    mem_free(mem, table, size, sizeof *table);
    return UF_OK;
}

static int compare(const void *one, const void *other)
{
    const struct hash128 *a = one, *b = other;
    if (a->hi != b->hi)
        return a->hi < b->hi ? -1 : 1;
    return (a->lo > b->lo) - (a->lo < b->lo);
}

void distinct_sorted(struct hash128 *keys, uint64_t *count)
{
    uint64_t kept = 0;
    qsort(keys, (size_t)*count, sizeof *keys, compare);
    for (uint64_t i = 0; i < *count; i++)
        if (!kept || !same(keys[kept - 1], keys[i]))
            keys[kept++] = keys[i];
    *count = kept;
}
