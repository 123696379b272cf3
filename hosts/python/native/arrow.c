/* SPDX-License-Identifier: MIT */
#include "arrow.h"

#include <stdlib.h>
#include <string.h>

#include "errors.h"

/* The three structs of the interface, as its specification has them: their layout never changes. */
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* A column that is open. The capsules own what they show; what a stream hands out is ours. */
struct arrow {
    PyObject *schema_capsule, *array_capsule; /* the second is that of the stream, if there is one */
    struct ArrowArrayStream *stream;
    struct ArrowSchema own_schema;
    struct ArrowArray own_array;
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    const char *bytes, *offsets; /* of strings, from the first one on */
    int offset_bytes;            /* 0: source->column has it */
};

/* ---- what a column holds ---- */

struct arrow_type {
    const char *format;
    enum element element;
    size_t width;
    int offset_bytes;
};

static const struct arrow_type types[] = {
    {"u", ELEMENT_BYTES, 0, 4},    {"z", ELEMENT_BYTES, 0, 4},    {"U", ELEMENT_BYTES, 0, 8},
    {"Z", ELEMENT_BYTES, 0, 8},    {"c", ELEMENT_SIGNED, 1, 0},   {"C", ELEMENT_UNSIGNED, 1, 0},
    {"s", ELEMENT_SIGNED, 2, 0},   {"S", ELEMENT_UNSIGNED, 2, 0}, {"i", ELEMENT_SIGNED, 4, 0},
    {"I", ELEMENT_UNSIGNED, 4, 0}, {"l", ELEMENT_SIGNED, 8, 0},   {"L", ELEMENT_UNSIGNED, 8, 0},
};

static int read_type(const struct ArrowSchema *schema, struct arrow_type *out)
{
    for (size_t i = 0; !schema->dictionary && i < sizeof types / sizeof types[0]; i++)
        if (!strcmp(schema->format, types[i].format)) {
            *out = types[i];
            return 0;
        }
    if (!schema->dictionary && !strncmp(schema->format, "w:", 2)) {
        *out = (struct arrow_type){"w", ELEMENT_BYTES, strtoul(schema->format + 2, NULL, 10), 0};
        return 0;
    }
    PyErr_Format(PyExc_TypeError,
                 "keys in an Arrow array are strings, binaries or integers, and this one has the type '%s'%s: cast it",
                 schema->format, schema->dictionary ? " of a dictionary" : "");
    return -1;
}

static int has_nulls(const struct ArrowArray *array)
{
    const unsigned char *valid = array->n_buffers ? array->buffers[0] : NULL;
    if (array->null_count >= 0 || !valid)
        return array->null_count > 0;
    for (int64_t i = array->offset; i < array->offset + array->length; i++)
        if (!(valid[i / 8] >> (i % 8) & 1))
            return 1;
    return 0;
}

/* Makes the array at hand the one that pieces come from. */
static int show(struct source *source)
{
    struct arrow *arrow = source->arrow;
    const struct ArrowArray *array = arrow->array;
    struct arrow_type type;
    if (!array->release || !arrow->schema->release)
        return raise_invalid("this Arrow array was released already: it can be read once"), -1;
    if (read_type(arrow->schema, &type))
        return -1;
    if (has_nulls(array))
        return raise_invalid("this Arrow array has nulls, and a null is no key: drop them first"), -1;
    if (array->n_buffers != (type.offset_bytes ? 3 : 2) || array->length < 0 || array->offset < 0)
        return raise_invalid("this Arrow array has %lld buffers where its type has %d: it is damaged",
                             (long long)array->n_buffers, type.offset_bytes ? 3 : 2),
               -1;
    size_t step = type.offset_bytes ? (size_t)type.offset_bytes : type.width;
    const char *second = array->buffers[1];
    arrow->offset_bytes = type.offset_bytes;
    arrow->offsets = second ? second + (size_t)array->offset * step : NULL;
    arrow->bytes = type.offset_bytes ? array->buffers[2] : NULL;
    source->column = (struct column){.element = type.element,
                                     .bytes = arrow->offsets,
                                     .stride = (Py_ssize_t)type.width,
                                     .width = type.width,
                                     .count = (size_t)array->length};
    source->at = 0;
    return 0;
}

static int next_strings(struct source *source, struct piece *out)
{
    const struct arrow *arrow = source->arrow;
    size_t left = source->column.count - source->at, count = left < PIECE_KEYS ? left : PIECE_KEYS;
    *out = (struct piece){.shape = SHAPE_OFFSETS,
                          .count = count,
                          .bytes = arrow->bytes ? arrow->bytes : "",
                          .offsets = arrow->offsets + source->at * (size_t)arrow->offset_bytes,
                          .offset_bytes = arrow->offset_bytes};
    source->at += count;
    return count > 0;
}

/* ---- streams ---- */

static void drop_array(struct arrow *arrow)
{
    if (arrow->own_array.release)
        arrow->own_array.release(&arrow->own_array);
    memset(&arrow->own_array, 0, sizeof arrow->own_array);
}

static int stream_failed(struct arrow *arrow)
{
    const char *text = arrow->stream->get_last_error(arrow->stream);
    PyErr_Format(PyExc_OSError, "the Arrow stream says: %s", text ? text : "nothing about its error");
    return -1;
}

/* 1 and the next array, 0 at the end. */
static int advance(struct source *source)
{
    struct arrow *arrow = source->arrow;
    if (!arrow->stream)
        return 0;
    drop_array(arrow);
    if (arrow->stream->get_next(arrow->stream, &arrow->own_array))
        return stream_failed(arrow);
    if (!arrow->own_array.release)
        return 0;
    arrow->array = &arrow->own_array;
    return show(source) ? -1 : 1;
}

int arrow_next(struct source *source, struct piece *out)
{
    for (;;) {
        int got = source->arrow->offset_bytes ? next_strings(source, out) : source_next_of_column(source, out);
        if (got)
            return got;
        got = advance(source);
        if (got <= 0)
            return got;
    }
}

/* ---- capsules ---- */

static int open_array(struct source *source, PyObject *pair)
{
    struct arrow *arrow = source->arrow;
    if (!PyArg_ParseTuple(pair, "OO:__arrow_c_array__", &arrow->schema_capsule, &arrow->array_capsule))
        return arrow->schema_capsule = arrow->array_capsule = NULL, -1;
    Py_INCREF(arrow->schema_capsule);
    Py_INCREF(arrow->array_capsule);
    arrow->schema = PyCapsule_GetPointer(arrow->schema_capsule, "arrow_schema");
    arrow->array = arrow->schema ? PyCapsule_GetPointer(arrow->array_capsule, "arrow_array") : NULL;
    if (!arrow->array || show(source))
        return -1;
    source->count = source->column.count;
    return 0;
}

static int open_stream(struct source *source, PyObject *capsule)
{
    struct arrow *arrow = source->arrow;
    Py_INCREF(capsule);
    arrow->array_capsule = capsule;
    arrow->stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (!arrow->stream)
        return -1;
    if (!arrow->stream->release)
        return raise_invalid("this Arrow stream was released already: it can be read once"), -1;
    if (arrow->stream->get_schema(arrow->stream, &arrow->own_schema))
        return stream_failed(arrow);
    arrow->schema = &arrow->own_schema;
    source->count = (size_t)-1;
    return advance(source) < 0 ? -1 : 0;
}

static int open_with(struct source *source, PyObject *keys, const char *method,
                     int (*open)(struct source *, PyObject *))
{
    PyObject *result = PyObject_CallMethod(keys, method, NULL);
    if (!result)
        return -1;
    source->arrow = PyMem_Calloc(1, sizeof *source->arrow);
    if (!source->arrow)
        PyErr_NoMemory();
    int failed = !source->arrow || open(source, result);
    Py_DECREF(result);
    return failed ? -1 : 1;
}

int arrow_open(struct source *source, PyObject *keys)
{
    if (PyObject_HasAttrString(keys, "__arrow_c_array__"))
        return open_with(source, keys, "__arrow_c_array__", open_array);
    if (PyObject_HasAttrString(keys, "__arrow_c_stream__"))
        return open_with(source, keys, "__arrow_c_stream__", open_stream);
    return 0;
}

void arrow_close(struct source *source)
{
    struct arrow *arrow = source->arrow;
    if (!arrow)
        return;
    drop_array(arrow);
    if (arrow->own_schema.release)
        arrow->own_schema.release(&arrow->own_schema);
    Py_XDECREF(arrow->schema_capsule);
    Py_XDECREF(arrow->array_capsule);
    PyMem_Free(arrow);
    source->arrow = NULL;
}
