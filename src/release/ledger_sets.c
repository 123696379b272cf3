/* SPDX-License-Identifier: MIT */
#include "ledger_sets.h"

#include <string.h>

#include "checksum.h"

int sets_start(struct data_sets *sets, const struct mem *mem, size_t capacity, uint64_t seed)
{
    *sets = (struct data_sets){.capacity = capacity, .mask = 1, .seed = seed};
    while (sets->mask < 2 * capacity)
        sets->mask = 2 * sets->mask + 1;
    sets->set = mem_alloc_dirty(mem, capacity, sizeof *sets->set);
    sets->slot = mem_alloc(mem, sets->mask + 1, sizeof *sets->slot);
    if (sets->set && sets->slot)
        return 1;
    sets_free(sets, mem);
    return 0;
}

void sets_free(struct data_sets *sets, const struct mem *mem)
{
    mem_free(mem, sets->set, sets->capacity, sizeof *sets->set);
    mem_free(mem, sets->slot, sets->mask + 1, sizeof *sets->slot);
    *sets = (struct data_sets){0};
}

void sets_clear(struct data_sets *sets)
{
    memset(sets->slot, 0, (sets->mask + 1) * sizeof *sets->slot);
    sets->count = 0;
}

/* The slot that has the name, or the free one where it belongs. */
static uint32_t *slot_of(struct data_sets *sets, const char *name, size_t length)
{
    size_t at = (size_t)checksum(name, length, sets->seed) & sets->mask;
    for (sets->looked++; sets->slot[at]; sets->looked++, at = (at + 1) & sets->mask) {
        const struct data_set *set = &sets->set[sets->slot[at] - 1];
        if (set->length == length && !memcmp(set->name, name, length))
            break;
    }
    return &sets->slot[at];
}

struct data_set *sets_find(struct data_sets *sets, const char *name, size_t length)
{
    const uint32_t *slot = slot_of(sets, name, length);
    return *slot ? &sets->set[*slot - 1] : NULL;
}

struct data_set *sets_add(struct data_sets *sets, const char *name, size_t length, double budget)
{
    struct data_set *set = &sets->set[sets->count++];
    *set = (struct data_set){.name = name, .length = length, .state = {.budget = budget, .left = budget}};
    *slot_of(sets, name, length) = (uint32_t)sets->count;
    return set;
}
