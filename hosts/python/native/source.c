/* SPDX-License-Identifier: MIT */
#include "source.h"

#include <stdlib.h>
#include <string.h>

#include "arrow.h"
#include "errors.h"
#include "format.h"
#include "key.h"
#include "widen.h"

static int make_room(struct source *source, size_t bytes_per_key)
{
    source->keys = PyMem_Malloc(CONVERTED_KEYS * sizeof *source->keys);
    source->room = PyMem_Malloc(CONVERTED_KEYS * (bytes_per_key ? bytes_per_key : 1));
    if (source->keys && source->room)
        return 0;
    PyErr_NoMemory();
    return -1;
}

/* ---- iterables ---- */

static void let_go(struct source *source)
{
    for (size_t i = 0; i < source->holds; i++)
        Py_DECREF(source->held[i]);
    source->holds = 0;
}

/* Takes over the reference to `item`. */
static int take(struct source *source, PyObject *item, size_t i)
{
    PyObject *owner;
    if (key_of(item, source->room + i * INTEGER_BYTES, &owner, &source->keys[i])) {
        Py_XDECREF(owner);
        Py_DECREF(item);
        return -1;
    }
    if (owner)
        Py_DECREF(item);
    source->held[source->holds++] = owner ? owner : item;
    return 0;
}

static int next_of_iterable(struct source *source, struct piece *out)
{
    size_t count = 0;
    PyObject *item;
    let_go(source);
    while (count < CONVERTED_KEYS && (item = PyIter_Next(source->iterator)))
        if (take(source, item, count++))
            return -1;
    if (PyErr_Occurred())
        return -1;
    *out = (struct piece){.shape = SHAPE_KEYS, .count = count, .keys = source->keys};
    return count > 0;
}

static int open_iterable(struct source *source, PyObject *keys)
{
    Py_ssize_t size = PyObject_Size(keys);
    if (size < 0)
        PyErr_Clear();
    source->count = size < 0 ? (size_t)-1 : (size_t)size;
    source->iterator = PyObject_GetIter(keys);
    if (!source->iterator) {
        PyErr_Clear();
        raise_type("keys are an iterable, an array or an Arrow array, not %U", keys);
        return -1;
    }
    source->held = PyMem_Malloc(CONVERTED_KEYS * sizeof *source->held);
    if (!source->held) {
        PyErr_NoMemory();
        return -1;
    }
    return make_room(source, INTEGER_BYTES);
}

/* ---- columns ---- */

static int is_ready(const struct column *column)
{
    int whole = column->element == ELEMENT_BYTES;
    int number = (column->element == ELEMENT_SIGNED || column->element == ELEMENT_UNSIGNED) &&
                 column->width == INTEGER_BYTES && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !column->swapped;
    return (whole || number) && column->stride == (Py_ssize_t)column->width;
}

static const char *element_at(const struct column *column, size_t i)
{
    return column->bytes + (Py_ssize_t)i * column->stride;
}

static void convert(struct source *source, size_t count)
{
    const struct column *column = &source->column;
    size_t step = widen_bytes(column->element, column->width);
    for (size_t i = 0; i < count; i++) {
        unsigned char *room = source->room + i * step;
        size_t size = widen(column->element, element_at(column, source->at + i), column->width, column->swapped, room);
        source->keys[i] = (uf_key){room, size};
    }
}

/* Whole fields behind one another need no copy but for the end of each. */
static void point(struct source *source, size_t count)
{
    const struct column *column = &source->column;
    for (size_t i = 0; i < count; i++) {
        const char *element = element_at(column, source->at + i);
        size_t size = column->width;
        while (column->element == ELEMENT_PADDED && size && !element[size - 1])
            size--;
        source->keys[i] = (uf_key){element, size};
    }
}

int source_next_of_column(struct source *source, struct piece *out)
{
    const struct column *column = &source->column;
    size_t left = column->count - source->at;
    int ready = is_ready(column);
    size_t most = ready ? PIECE_KEYS : CONVERTED_KEYS, count = left < most ? left : most;
    if (!count)
        return 0;
    if (ready) {
        *out = (struct piece){
            .shape = SHAPE_FIXED, .count = count, .bytes = element_at(column, source->at), .width = column->width};
    } else {
        if (!source->keys && make_room(source, widen_bytes(column->element, column->width)))
            return -1;
        if (column->element == ELEMENT_BYTES || column->element == ELEMENT_PADDED)
            point(source, count);
        else
            convert(source, count);
        *out = (struct piece){.shape = SHAPE_KEYS, .count = count, .keys = source->keys};
    }
    source->at += count;
    return 1;
}

/* ---- buffers ---- */

static int open_buffer(struct source *source, PyObject *keys)
{
    if (PyObject_GetBuffer(keys, &source->view, PyBUF_FULL_RO)) {
        PyErr_Clear();
        return raise_type("the elements of this %U cannot be read as bytes: make integers, str or bytes of them", keys),
               -1;
    }
    source->viewed = 1;
    if (source->view.suboffsets)
        return raise_invalid("an array of pointers (suboffsets) is not taken: make one that lies in one piece"), -1;
    if (format_read(&source->view, &source->column))
        return -1;
    source->count = source->column.count;
    return 0;
}

/* An array of objects is an iterable that can be asked for a buffer. */
static int has_objects(PyObject *keys)
{
    Py_buffer view;
    if (PyObject_GetBuffer(keys, &view, PyBUF_FULL_RO)) {
        PyErr_Clear();
        return 0;
    }
    int objects = view.format && strchr(view.format, 'O');
    PyBuffer_Release(&view);
    return objects;
}

/* ---- all of them ---- */

static int open_any(struct source *source, PyObject *keys)
{
    if (key_is_one(keys))
        return raise_type("this is one key (%U) where many are asked for: put it into a list, or use 'key in filter'",
                          keys),
               -1;
    if (PyObject_CheckBuffer(keys) && !has_objects(keys))
        return open_buffer(source, keys);
    int arrow = arrow_open(source, keys);
    return arrow ? arrow < 0 ? -1 : 0 : open_iterable(source, keys);
}

int source_open(struct source *source, PyObject *keys)
{
    memset(source, 0, sizeof *source);
    int failed = open_any(source, keys);
    if (failed)
        source_close(source);
    return failed;
}

/* What is given back may run Python, which needs to find no exception and leaves the one that there was. */
void source_close(struct source *source)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    let_go(source);
    arrow_close(source);
    if (source->viewed)
        PyBuffer_Release(&source->view);
    Py_CLEAR(source->iterator);
    PyMem_Free(source->held);
    PyMem_Free(source->keys);
    PyMem_Free(source->room);
    memset(source, 0, sizeof *source);
    PyErr_Restore(type, value, trace);
}

int source_next(struct source *source, struct piece *out)
{
    if (PyErr_CheckSignals())
        return -1;
    if (source->iterator)
        return next_of_iterable(source, out);
    return source->arrow ? arrow_next(source, out) : source_next_of_column(source, out);
}
