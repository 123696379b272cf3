/* SPDX-License-Identifier: MIT */
#include "overlap.h"

#include "hash_inline.h"

/* Where the hash is, or the empty slot where it would be. */
static size_t find(const struct overlap *overlap, uint64_t hash)
{
    size_t at = (size_t)hash & (overlap->slots - 1);
    while (overlap->slot[at] && overlap->slot[at] != hash)
        at = (at + 1) & (overlap->slots - 1);
    return at;
}

int overlap_new(const struct mem *mem, uint64_t count, struct overlap *out)
{
    struct overlap overlap = {.mem = *mem, .slots = 16};
    if (count > SIZE_MAX / 32)
        return UF_ENOMEM;
    while (overlap.slots < 2 * count)
        overlap.slots *= 2;
    overlap.slot = mem_alloc(mem, overlap.slots, sizeof *overlap.slot);
    if (!overlap.slot)
        return UF_ENOMEM;
    *out = overlap;
    return UF_OK;
}

int overlap_add(struct overlap *overlap, uint64_t hash)
{
    hash += !hash; /* 0 is for empty slots */
    uint64_t *slot = &overlap->slot[find(overlap, hash)];
    int is_new = !*slot;
    *slot = hash;
    return is_new;
}

int overlap_holds(const struct overlap *overlap, uint64_t hash)
{
    return overlap->slot[find(overlap, hash + !hash)] != 0;
}

void overlap_free(struct overlap *overlap)
{
    mem_free(&overlap->mem, overlap->slot, overlap->slots, sizeof *overlap->slot);
}

/* ---- keys ---- */

static uint64_t hash_of(uf_key key)
{
    return hash_xxh3(key.data, key.size, 0).lo;
}

int overlap_make(const struct mem *mem, const uf_key *keys, size_t count, struct overlap *out)
{
    int status = overlap_new(mem, count, out);
    for (size_t i = 0; status == UF_OK && i < count; i++)
        (void)overlap_add(out, hash_of(keys[i]));
    return status;
}

int overlap_add_key(struct overlap *overlap, uf_key key)
{
    return overlap_add(overlap, hash_of(key));
}

int overlap_has(const struct overlap *overlap, uf_key key)
{
    return overlap_holds(overlap, hash_of(key));
}
