/* SPDX-License-Identifier: MIT */
/* What attackers insert and ask for: 16 bytes, as many as the smallest item whose two hashes can be chosen has. */
#ifndef LAB_ITEM_H
#define LAB_ITEM_H

#include <stdlib.h>

#include "stream.h"
#include "ultrafilter.h"

enum { ITEM_BYTES = 16 };

struct item {
    unsigned char bytes[ITEM_BYTES];
};

/* Least byte first, so that a seed means the same everywhere. */
static inline void item_store(struct item *item, unsigned at, uint64_t word)
{
    for (unsigned i = 0; i < 8; i++)
        item->bytes[at + i] = (unsigned char)(word >> 8 * i);
}

static inline void items_draw(struct stream *stream, struct item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        item_store(&items[i], 0, stream_next(stream));
        item_store(&items[i], 8, stream_next(stream));
    }
}

/* As many as there are: it grows. */
struct item_list {
    struct item *items; /* owned */
    size_t count, capacity;
};

/* 0, or -1 when there is no memory. */
static inline int items_push(struct item_list *list, const struct item *item)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 1024;
        struct item *items = realloc(list->items, capacity * sizeof *items);
        if (!items)
            return -1;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = *item;
    return 0;
}

#endif
