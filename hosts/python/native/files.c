/* SPDX-License-Identifier: MIT */
/* Filters as files and as bytes. */
#include "filter.h"

#include <string.h>

#include "call.h"
#include "errors.h"
#include "secret.h"

/* ---- load ---- */

static int format_of(const char *name, unsigned *how)
{
    if (!strcmp(name, "uf") || !strcmp(name, "dcso")) {
        *how |= name[0] == 'd' ? UF_FORMAT_DCSO : UF_FORMAT_UF;
        return 0;
    }
    return raise_invalid("there is no format '%s': it is 'uf' or 'dcso'", name), -1;
}

PyObject *filter_load(PyObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"path", "key", "map", "format", "locked", NULL};
    PyObject *path, *key = NULL;
    const char *format = "uf";
    int map = 0, locked = 0;
    unsigned how = 0;
    struct call call;
    uf_filter *filter = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O&|$Opsp:load", names, PyUnicode_FSConverter, &path, &key, &map,
                                     &format, &locked))
        return NULL;
    call_begin(&call, NULL);
    key = format_of(format, &how) ? NULL : secret_take(key, &call.context.secret);
    if (key) {
        how |= (map ? UF_MAP : 0) | (locked ? UF_WITHOUT_KEY : 0);
        int status;
        Py_BEGIN_ALLOW_THREADS status = uf_load(PyBytes_AsString(path), how, &call.context, &filter, &call.why);
        Py_END_ALLOW_THREADS if (status != UF_OK) call_raise(&call, status);
        Py_DECREF(key);
    }
    Py_DECREF(path);
    return filter ? filter_wrap((PyTypeObject *)type, filter) : NULL;
}

/* With `view`, the filter keeps the buffer and looks at it. */
PyObject *filter_loads(PyObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"data", "key", "copy", "locked", NULL};
    Py_buffer bytes;
    PyObject *key = NULL, *self = NULL;
    int copy = 1, locked = 0, status;
    struct call call;
    uf_filter *filter = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "y*|$Opp:loads", names, &bytes, &key, &copy, &locked))
        return NULL;
    call_begin(&call, NULL);
    key = secret_take(key, &call.context.secret);
    if (key) {
        Py_BEGIN_ALLOW_THREADS status =
            copy ? uf_load_bytes(bytes.buf, (size_t)bytes.len, locked ? UF_WITHOUT_KEY : 0, &call.context, &filter,
                                 &call.why)
                 : uf_load_view(bytes.buf, (size_t)bytes.len, &call.context, &filter, &call.why);
        Py_END_ALLOW_THREADS if (status == UF_OK) self = filter_wrap((PyTypeObject *)type, filter);
        else call_raise(&call, status);
        Py_DECREF(key);
    }
    if (self && !copy) {
        ((struct filter_object *)self)->bytes = bytes;
        ((struct filter_object *)self)->viewed = 1;
    } else {
        PyBuffer_Release(&bytes);
    }
    return self;
}

/* ---- save ---- */

PyObject *filter_save(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"path", "format", NULL};
    struct filter_object *object = (struct filter_object *)self;
    PyObject *path;
    const char *format = "uf";
    unsigned how = 0;
    uf_error why = {0, 0, ""};
    int status = UF_EINVAL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O&|$s:save", names, PyUnicode_FSConverter, &path, &format))
        return NULL;
    gate_read(&object->gate);
    if (!format_of(format, &how) && filter_open(object)) {
        Py_BEGIN_ALLOW_THREADS status = uf_save(object->filter, PyBytes_AsString(path), how, &why);
        Py_END_ALLOW_THREADS
    }
    gate_read_done(&object->gate);
    Py_DECREF(path);
    return status == UF_OK ? Py_NewRef(Py_None) : raise_why(status, &why);
}

struct target {
    char *at;
    size_t left;
};

static int put(void *arg, const void *data, size_t bytes)
{
    struct target *target = arg;
    if (bytes > target->left)
        return 1;
    memcpy(target->at, data, bytes);
    target->at += bytes;
    target->left -= bytes;
    return 0;
}

/* The first piece is the header: that is all to be known. */
static int keep_size(void *arg, const void *data, size_t bytes)
{
    (void)data;
    *(size_t *)arg = bytes;
    return 1;
}

/* Bytes of a filter in a format: a packed header has another size than a page. */
static size_t size_of(const uf_filter *filter, unsigned format)
{
    uf_sizes sizes;
    uf_error why;
    size_t header = UF_HEADER_BYTES;
    (void)uf_get_sizes(filter, &sizes, sizeof sizes);
    if (format == UF_FORMAT_COMPACT)
        (void)uf_write(filter, format, keep_size, &header, &why);
    return (size_t)sizes.file_bytes - UF_HEADER_BYTES + header;
}

/* New bytes, NULL with an exception. Nobody writes meanwhile. */
static PyObject *write_bytes(const uf_filter *filter, unsigned format)
{
    uf_error why;
    int status;
    size_t size = size_of(filter, format);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (!bytes)
        return NULL;
    struct target target = {PyBytes_AsString(bytes), size};
    Py_BEGIN_ALLOW_THREADS status = uf_write(filter, format, put, &target, &why);
    Py_END_ALLOW_THREADS if (status == UF_OK && !target.left) return bytes;
    Py_DECREF(bytes);
    return status == UF_OK ? raise_status(UF_EFORMAT, 0, "the filter grew while it was written: try again")
                           : raise_why(status, &why);
}

static PyObject *dumps(struct filter_object *object, unsigned format)
{
    PyObject *bytes = NULL;
    gate_read(&object->gate);
    if (filter_open(object))
        bytes = write_bytes(object->filter, format);
    gate_read_done(&object->gate);
    return bytes;
}

PyObject *filter_dumps(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"compact", NULL};
    int compact = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$p:dumps", names, &compact))
        return NULL;
    return dumps((struct filter_object *)self, compact ? UF_FORMAT_COMPACT : UF_FORMAT_UF);
}

/* memoryview(filter) is one of the bytes of its file, as they are now. */
int filter_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    PyObject *bytes = dumps((struct filter_object *)self, UF_FORMAT_UF);
    int status = bytes ? PyObject_GetBuffer(bytes, view, flags) : -1;
    if (status)
        view->obj = NULL;
    Py_XDECREF(bytes);
    return status;
}

/* ---- what the bytes are ---- */

PyObject *filter_fingerprint(PyObject *self, PyObject *unused)
{
    struct filter_object *object = (struct filter_object *)self;
    char out[UF_FINGERPRINT_SIZE];
    uf_error why = {0, 0, ""};
    int status = UF_EINVAL;
    (void)unused;
    gate_read(&object->gate);
    if (filter_open(object)) {
        Py_BEGIN_ALLOW_THREADS status = uf_fingerprint(object->filter, out, &why);
        Py_END_ALLOW_THREADS
    }
    gate_read_done(&object->gate);
    return status == UF_OK ? PyUnicode_FromString(out) : raise_why(status, &why);
}

PyObject *filter_verify(PyObject *self, PyObject *unused)
{
    struct filter_object *object = (struct filter_object *)self;
    uf_error why = {0, 0, ""};
    int status = UF_EINVAL;
    (void)unused;
    gate_read(&object->gate);
    if (filter_open(object)) {
        Py_BEGIN_ALLOW_THREADS status = uf_verify(object->filter, &why);
        Py_END_ALLOW_THREADS
    }
    gate_read_done(&object->gate);
    return status == UF_OK ? Py_NewRef(Py_None) : raise_why(status, &why);
}
