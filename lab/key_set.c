/* SPDX-License-Identifier: MIT */
#include "key_set.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LEAST_CAPACITY = 64 };

static struct key_set_entry entry_of(uf_key key)
{
    XXH128_hash_t hash = XXH3_128bits(key.data, key.size);
    return (struct key_set_entry){hash.low64 | 1, hash.high64};
}

/* Where it is, or the empty place where it belongs. */
static struct key_set_entry *place_of(struct key_set_entry *entry, size_t capacity, struct key_set_entry wanted)
{
    for (size_t at = (size_t)wanted.hi & (capacity - 1);; at = (at + 1) & (capacity - 1))
        if (!entry[at].lo || (entry[at].lo == wanted.lo && entry[at].hi == wanted.hi))
            return &entry[at];
}

/* At most half full, so that looking for a key that is not there ends soon. */
static int grow(struct key_set *set)
{
    size_t capacity = set->capacity ? 2 * set->capacity : LEAST_CAPACITY;
    struct key_set_entry *entry = calloc(capacity, sizeof *entry);
    if (!entry)
        return -1;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->entry[i].lo)
            *place_of(entry, capacity, set->entry[i]) = set->entry[i];
    free(set->entry);
    set->entry = entry;
    set->capacity = capacity;
    return 0;
}

int key_set_has(const struct key_set *set, uf_key key)
{
    return set->capacity && place_of(set->entry, set->capacity, entry_of(key))->lo;
}

int key_set_add(struct key_set *set, uf_key key)
{
    const struct key_set_entry wanted = entry_of(key);
    if (2 * set->count >= set->capacity && grow(set))
        return -1;
    struct key_set_entry *place = place_of(set->entry, set->capacity, wanted);
    if (place->lo)
        return 0;
    *place = wanted;
    set->count++;
    return 1;
}

void key_set_clear(struct key_set *set)
{
    if (set->count)
        memset(set->entry, 0, set->capacity * sizeof *set->entry);
    set->count = 0;
}

void key_set_free(struct key_set *set)
{
    free(set->entry);
    *set = (struct key_set){.entry = NULL};
}
