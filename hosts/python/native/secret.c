/* SPDX-License-Identifier: MIT */
#include "secret.h"

#include "errors.h"

struct key_object {
    PyObject_HEAD uf_secret *secret;
};

static PyTypeObject *key_type;

static PyObject *wrap(uf_secret *secret, PyTypeObject *type)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct key_object *self = (struct key_object *)alloc(type, 0);
    if (self)
        self->secret = secret;
    else
        uf_secret_free(secret);
    return (PyObject *)self;
}

static PyObject *load_path(PyObject *type, PyObject *path)
{
    PyObject *bytes;
    uf_secret *secret;
    uf_error why;
    if (!PyUnicode_FSConverter(path, &bytes))
        return NULL;
    int status = uf_secret_load(PyBytes_AsString(bytes), &secret, &why);
    Py_DECREF(bytes);
    return status == UF_OK ? wrap(secret, (PyTypeObject *)type) : raise_why(status, &why);
}

static PyObject *create(PyObject *type, PyObject *path)
{
    PyObject *bytes;
    uf_error why;
    if (!PyUnicode_FSConverter(path, &bytes))
        return NULL;
    int status = uf_secret_create(PyBytes_AsString(bytes), &why);
    Py_DECREF(bytes);
    return status == UF_OK ? load_path(type, path) : raise_why(status, &why);
}

static PyObject *from_bytes(PyObject *type, PyObject *data)
{
    Py_buffer view;
    uf_secret *secret;
    uf_error why;
    if (PyObject_GetBuffer(data, &view, PyBUF_SIMPLE))
        return NULL;
    int status = uf_secret_from_bytes(view.buf, (size_t)view.len, &secret, &why);
    PyBuffer_Release(&view);
    return status == UF_OK ? wrap(secret, (PyTypeObject *)type) : raise_why(status, &why);
}

static PyObject *get_id(PyObject *self, void *unused)
{
    char id[UF_KEY_ID_SIZE];
    (void)unused;
    uf_secret_id(((struct key_object *)self)->secret, id);
    return PyUnicode_FromString(id);
}

static PyObject *repr(PyObject *self)
{
    char id[UF_KEY_ID_SIZE];
    uf_secret_id(((struct key_object *)self)->secret, id);
    return PyUnicode_FromFormat("<ultrafilter.Key %s>", id);
}

static PyObject *refuse_pickling(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    PyErr_SetString(PyExc_TypeError, "a Key is never pickled or copied: load it from its file where it is needed");
    return NULL;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    uf_secret_free(((struct key_object *)self)->secret);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"load", load_path, METH_O | METH_CLASS,
     "load(path)\n--\n\nThe key of a key file, which must be its owner's only (mode 0600)."},
    {"create", create, METH_O | METH_CLASS,
     "create(path)\n--\n\nA new key file from the system's randomness, and its key. Replaces nothing."},
    {"from_bytes", from_bytes, METH_O | METH_CLASS,
     "from_bytes(data)\n--\n\nA key of 32 random bytes that are kept elsewhere. They are copied; a password is none."},
    {"__reduce__", refuse_pickling, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"id", get_id, NULL, "Sixteen hexadecimal digits that tell keys apart, and nothing else about them.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_repr, (void *)repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {Py_tp_doc, (void *)"A master key: 32 secret bytes from a file of their own. Nothing shows them."},
    {0, NULL},
};

static PyType_Spec spec = {"ultrafilter.Key", sizeof(struct key_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int secret_init(PyObject *module)
{
    if (!key_type)
        key_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return key_type ? PyModule_AddObjectRef(module, "Key", (PyObject *)key_type) : -1;
}

PyObject *secret_take(PyObject *argument, const uf_secret **out)
{
    *out = NULL;
    if (!argument || argument == Py_None)
        return Py_NewRef(Py_None);
    PyObject *key = Py_IS_TYPE(argument, key_type) ? Py_NewRef(argument) : load_path((PyObject *)key_type, argument);
    if (key)
        *out = ((struct key_object *)key)->secret;
    return key;
}
