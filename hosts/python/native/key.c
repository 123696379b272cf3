/* SPDX-License-Identifier: MIT */
#include "key.h"

#include <string.h>

#include "errors.h"

void key_put_integer(uint64_t value, unsigned char out[INTEGER_BYTES])
{
    for (int i = 0; i < INTEGER_BYTES; i++)
        out[i] = (unsigned char)(value >> (8 * i));
}

static int from_integer(PyObject *object, unsigned char room[INTEGER_BYTES], uf_key *out)
{
    int overflow;
    long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
    uint64_t value = (uint64_t)small;
    if (overflow > 0) {
        value = PyLong_AsUnsignedLongLong(object);
        overflow = PyErr_Occurred() != NULL;
        if (overflow)
            PyErr_Clear();
    }
    if (overflow) {
        raise_invalid("an integer key has eight bytes, from -2**63 to 2**64 - 1, and this one does not fit: make bytes "
                      "or str of larger ones");
        return -1;
    }
    if (small == -1 && PyErr_Occurred())
        return -1;
    key_put_integer(value, room);
    *out = (uf_key){room, INTEGER_BYTES};
    return 0;
}

static int from_bytes(PyObject *object, uf_key *out)
{
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &data, &size))
        return -1;
    *out = (uf_key){data, (size_t)size};
    return 0;
}

/* Someone else may change it while the interpreter lock is not ours: a copy. */
static int from_buffer(PyObject *object, PyObject **owner, uf_key *out)
{
    *owner = PyBytes_FromObject(object);
    return *owner ? from_bytes(*owner, out) : -1;
}

static int from_index(PyObject *object, unsigned char room[INTEGER_BYTES], uf_key *out)
{
    PyObject *number = PyNumber_Index(object);
    int failed = !number || from_integer(number, room, out);
    Py_XDECREF(number);
    return failed ? -1 : 0;
}

/* A memoryview of bytes; one of anything else is an array. */
static int is_bytes_view(PyObject *object)
{
    Py_buffer view;
    if (!PyMemoryView_Check(object) || PyObject_GetBuffer(object, &view, PyBUF_FORMAT | PyBUF_STRIDES)) {
        PyErr_Clear();
        return 0;
    }
    int is = view.ndim == 1 && view.itemsize == 1 &&
             (!view.format || !strcmp(view.format, "B") || !strcmp(view.format, "c") || !strcmp(view.format, "b"));
    PyBuffer_Release(&view);
    return is;
}

/* A number of another library. An array of one number has an index, too, but a length as well. */
static int is_number(PyObject *object)
{
    return PyIndex_Check(object) && !PyObject_HasAttrString(object, "__len__");
}

int key_is_one(PyObject *object)
{
    return PyUnicode_Check(object) || PyBytes_Check(object) || PyLong_Check(object) || PyByteArray_Check(object) ||
           is_number(object) || is_bytes_view(object);
}

int key_of(PyObject *object, unsigned char room[INTEGER_BYTES], PyObject **owner, uf_key *out)
{
    *owner = NULL;
    if (PyUnicode_Check(object)) {
        Py_ssize_t size;
        const char *text = PyUnicode_AsUTF8AndSize(object, &size);
        *out = (uf_key){text, (size_t)size};
        return text ? 0 : -1;
    }
    if (PyBytes_Check(object))
        return from_bytes(object, out);
    if (PyLong_Check(object) && !PyBool_Check(object))
        return from_integer(object, room, out);
    if (PyByteArray_Check(object) || is_bytes_view(object))
        return from_buffer(object, owner, out);
    if (!PyBool_Check(object) && is_number(object))
        return from_index(object, room, out);
    raise_type("a key is str, bytes or int, not %U", object);
    return -1;
}
