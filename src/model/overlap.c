/* SPDX-License-Identifier: MIT */
#include "overlap.h"

#include "hash_inline.h"

static uint64_t hash_of(uf_key key)
{
    uint64_t hash = hash_xxh3(key.data, key.size, 0).lo;
    return hash ? hash : 1;
}

/* Where the hash is, or the empty slot where it would be. */
static size_t find(const struct overlap *overlap, uint64_t hash)
{
    size_t at = (size_t)hash & (overlap->slots - 1);
    while (overlap->slot[at] && overlap->slot[at] != hash)
        at = (at + 1) & (overlap->slots - 1);
    return at;
}

int overlap_make(const struct mem *mem, const uf_key *keys, size_t count, struct overlap *out)
{
    struct overlap overlap = {.mem = *mem, .slots = 16};
    if (count > SIZE_MAX / 32)
        return UF_ENOMEM;
    while (overlap.slots < 2 * count)
        overlap.slots *= 2;
    overlap.slot = mem_alloc(mem, overlap.slots, sizeof *overlap.slot);
    if (!overlap.slot)
        return UF_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = hash_of(keys[i]);
        overlap.slot[find(&overlap, hash)] = hash;
    }
    *out = overlap;
    return UF_OK;
}

int overlap_has(const struct overlap *overlap, uf_key key)
{
    return overlap->slot[find(overlap, hash_of(key))] != 0;
}

void overlap_free(struct overlap *overlap)
{
    mem_free(&overlap->mem, overlap->slot, overlap->slots, sizeof *overlap->slot);
}
