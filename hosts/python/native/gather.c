/* SPDX-License-Identifier: MIT */
#include "gather.h"

#include <string.h>

#include "verbs.h"

static int make_room(struct gathered *to, size_t keys, size_t bytes)
{
    if (to->count + keys > to->slots) {
        size_t slots = 2 * (to->count + keys);
        uf_key *more = PyMem_Realloc(to->keys, slots * sizeof *more);
        if (!more)
            return PyErr_NoMemory(), -1;
        to->keys = more;
        to->slots = slots;
    }
    if (to->used + bytes > to->room) {
        size_t room = 2 * (to->used + bytes);
        char *more = PyMem_Realloc(to->bytes, room);
        if (!more)
            return PyErr_NoMemory(), -1;
        to->bytes = more;
        to->room = room;
    }
    return 0;
}

/* Until all are here, `data` stays NULL: the bytes may move. */
static int take(struct gathered *to, const struct piece *piece)
{
    size_t bytes = 0;
    for (size_t i = 0; i < piece->count; i++)
        bytes += piece_key(piece, i).size;
    if (make_room(to, piece->count, bytes))
        return -1;
    for (size_t i = 0; i < piece->count; i++) {
        uf_key key = piece_key(piece, i);
        if (key.size)
            memcpy(to->bytes + to->used, key.data, key.size);
        to->keys[to->count++] = (uf_key){NULL, key.size};
        to->used += key.size;
    }
    return 0;
}

static void point(struct gathered *to)
{
    const char *at = to->bytes;
    for (size_t i = 0; i < to->count; at += to->keys[i++].size)
        to->keys[i].data = at;
}

int gather(struct call *call, PyObject *keys, struct gathered *out)
{
    struct source source;
    struct piece piece;
    int got, status = UF_OK;
    memset(out, 0, sizeof *out);
    if (!keys || keys == Py_None)
        return UF_OK;
    if (source_open(&source, keys))
        return UF_EINVAL;
    while (status == UF_OK && (got = source_next(&source, &piece)) != 0) {
        if (got > 0)
            status = piece_check(&piece, &call->why);
        if (got < 0 || (status == UF_OK && take(out, &piece)))
            status = UF_EINVAL;
    }
    source_close(&source);
    point(out);
    return status;
}

void gather_free(struct gathered *gathered)
{
    PyMem_Free(gathered->keys);
    PyMem_Free(gathered->bytes);
    memset(gathered, 0, sizeof *gathered);
}
