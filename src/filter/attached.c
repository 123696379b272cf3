/* SPDX-License-Identifier: MIT */
#include "attached.h"

#include <string.h>

#include "status.h"

void *attached_room(const uf_filter *filter, size_t bytes, uf_error *why)
{
    void *room = mem_alloc_dirty(&filter->mem, bytes, 1);
    if (!room)
        fail(why, UF_ENOMEM, "no memory for %zu bytes of attached data", bytes);
    return room;
}

int attached_set(uf_filter *filter, const void *data, size_t bytes, uf_error *why)
{
    void *copy = bytes ? attached_room(filter, bytes, why) : NULL;
    if (bytes && !copy)
        return UF_ENOMEM;
    if (bytes)
        memcpy(copy, data, bytes);
    mem_free(&filter->mem, filter->attached, filter->attached_bytes, 1);
    filter->attached = copy;
    filter->attached_bytes = bytes;
    return UF_OK;
}
