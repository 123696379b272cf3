/* SPDX-License-Identifier: MIT */
#include "known.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LEAST_ROOM = 64 };

static struct known_entry entry_of(uf_key key)
{
    XXH128_hash_t hash = XXH3_128bits(key.data, key.size);
    return (struct known_entry){hash.low64 | 1, hash.high64};
}

/* Where it is, or the empty place where it belongs. */
static struct known_entry *place_of(struct known_entry *entry, size_t room, struct known_entry wanted)
{
    for (size_t at = (size_t)wanted.hi & (room - 1);; at = (at + 1) & (room - 1))
        if (!entry[at].lo || (entry[at].lo == wanted.lo && entry[at].hi == wanted.hi))
            return &entry[at];
}

/* At most half full, so that looking for a key that is not there ends soon. */
static int grow(struct known *known)
{
    size_t room = known->room ? 2 * known->room : LEAST_ROOM;
    struct known_entry *entry = calloc(room, sizeof *entry);
    if (!entry)
        return -1;
    for (size_t i = 0; i < known->room; i++)
        if (known->entry[i].lo)
            *place_of(entry, room, known->entry[i]) = known->entry[i];
    free(known->entry);
    known->entry = entry;
    known->room = room;
    return 0;
}

int known_has(const struct known *known, uf_key key)
{
    return known->room && place_of(known->entry, known->room, entry_of(key))->lo;
}

int known_add(struct known *known, uf_key key)
{
    const struct known_entry wanted = entry_of(key);
    if (2 * known->count >= known->room && grow(known))
        return -1;
    struct known_entry *place = place_of(known->entry, known->room, wanted);
    if (place->lo)
        return 0;
    *place = wanted;
    known->count++;
    return 1;
}

void known_clear(struct known *known)
{
    if (known->count)
        memset(known->entry, 0, known->room * sizeof *known->entry);
    known->count = 0;
}

void known_free(struct known *known)
{
    free(known->entry);
    *known = (struct known){.entry = NULL};
}
