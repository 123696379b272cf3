/* SPDX-License-Identifier: MIT */
/* Methods that take keys: one key with the interpreter lock, which is over before it could be given back; many without
 * it, piece by piece. */
#include "filter.h"

#include <string.h>

#include "errors.h"
#include "key.h"
#include "verbs.h"

/* ---- one key ---- */

int filter_contains(PyObject *self, PyObject *key)
{
    struct filter_object *object = (struct filter_object *)self;
    unsigned char room[INTEGER_BYTES];
    PyObject *owner;
    uf_key bytes;
    int found = -1;
    if (!key_of(key, room, &owner, &bytes)) {
        gate_look(&object->gate);
        if (filter_usable(object))
            found = uf_query(object->filter, bytes);
    }
    Py_XDECREF(owner);
    return found;
}

/* 1, 0 or -1 with an exception. */
static int one(PyObject *self, PyObject *key, int (*call)(uf_filter *, uf_key, uf_error *))
{
    struct filter_object *object = (struct filter_object *)self;
    unsigned char room[INTEGER_BYTES];
    PyObject *owner;
    uf_key bytes;
    uf_error why;
    int result = -1;
    if (!key_of(key, room, &owner, &bytes)) {
        if (object->shared)
            gate_look(&object->gate);
        else
            gate_write(&object->gate);
        if (filter_usable(object)) {
            result = call(object->filter, bytes, &why);
            if (result < 0)
                raise_why(result, &why);
        }
        if (!object->shared)
            gate_write_done(&object->gate);
    }
    Py_XDECREF(owner);
    return result < 0 ? -1 : result;
}

/* ---- many ---- */

/* A bytearray with a byte for each key so far, and room for more. */
struct bytes {
    PyObject *array;
    size_t used, size;
};

static int bytes_reserve(struct bytes *bytes, size_t more)
{
    if (bytes->used + more <= bytes->size)
        return 0;
    size_t size = bytes->used + more > 2 * bytes->size ? bytes->used + more : 2 * bytes->size;
    if (PyByteArray_Resize(bytes->array, (Py_ssize_t)size))
        return -1;
    bytes->size = size;
    return 0;
}

struct many {
    struct filter_object *object;
    verb *verb;
    int writes;
    int status; /* the first that some key was refused with */
    uf_error why;
};

static int passes_over(int status)
{
    return status == UF_EFULL || status == UF_ESTUCK || status == UF_EABSENT;
}

static int do_piece(struct many *many, const struct piece *piece, void *out)
{
    struct filter_object *object = many->object;
    uf_error why = {0, 0, ""};
    int status = UF_EINVAL, writes = many->writes && !object->shared;
    if (writes)
        gate_write(&object->gate);
    else
        gate_read(&object->gate);
    uf_filter *filter = filter_usable(object);
    if (filter) {
        Py_BEGIN_ALLOW_THREADS status = many->verb(filter, piece, out, &why);
        Py_END_ALLOW_THREADS
    }
    if (writes)
        gate_write_done(&object->gate);
    else
        gate_read_done(&object->gate);
    if (!filter)
        return -1;
    if (status != UF_OK && many->status == UF_OK) {
        many->status = status;
        many->why = why;
    }
    return status == UF_OK || passes_over(status) ? 0 : -1;
}

static int all_pieces(struct many *many, struct source *source, struct bytes *out)
{
    struct piece piece;
    int got;
    while ((got = source_next(source, &piece)) > 0) {
        if (bytes_reserve(out, piece.count))
            return -1;
        if (do_piece(many, &piece, PyByteArray_AsString(out->array) + out->used))
            return -1;
        out->used += piece.count;
    }
    return got;
}

/* The exception of a refusal says of which keys: its `answers`. */
static void attach(PyObject *answers)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (value && PyObject_SetAttrString(value, "answers", answers))
        PyErr_Clear();
    PyErr_Restore(type, value, trace);
}

static PyObject *finish(struct many *many, struct bytes *out, int failed)
{
    if (failed && PyErr_Occurred())
        return NULL;
    if (PyByteArray_Resize(out->array, (Py_ssize_t)out->used))
        return NULL;
    if (many->status == UF_OK)
        return Py_NewRef(out->array);
    raise_why(many->status, &many->why);
    if (passes_over(many->status))
        attach(out->array);
    return NULL;
}

static PyObject *many(PyObject *self, PyObject *keys, verb *what, int writes)
{
    struct many job = {.object = (struct filter_object *)self, .verb = what, .writes = writes};
    struct source source;
    struct bytes out = {NULL, 0, 0};
    PyObject *result = NULL;
    if (source_open(&source, keys))
        return NULL;
    size_t known = source.count == (size_t)-1 ? 0 : source.count;
    out.array = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)known);
    out.size = known;
    if (out.array)
        result = finish(&job, &out, all_pieces(&job, &source, &out));
    Py_XDECREF(out.array);
    source_close(&source);
    return result;
}

/* ---- methods ---- */

PyObject *filter_query(PyObject *self, PyObject *keys)
{
    return many(self, keys, verb_query, 0);
}

PyObject *filter_add(PyObject *self, PyObject *keys)
{
    if (!key_is_one(keys))
        return many(self, keys, verb_add, 1);
    int added = one(self, keys, uf_add);
    return added < 0 ? NULL : PyBool_FromLong(added);
}

PyObject *filter_remove(PyObject *self, PyObject *keys)
{
    if (!key_is_one(keys))
        return many(self, keys, verb_remove, 1);
    return one(self, keys, uf_remove) < 0 ? NULL : Py_NewRef(Py_None);
}
