/* SPDX-License-Identifier: MIT */
#include "errors.h"

#include <stdarg.h>
#include <stdio.h>

static PyObject *make; /* of ultrafilter._errors; lives as long as the interpreter */

int errors_init(void)
{
    PyObject *module = PyImport_ImportModule("ultrafilter._errors");
    if (!module)
        return -1;
    Py_XDECREF(make);
    make = PyObject_GetAttrString(module, "make");
    Py_DECREF(module);
    return make ? 0 : -1;
}

PyObject *raise_status(int status, int reason, const char *text)
{
    if (PyErr_Occurred())
        return NULL;
    /* A sentence may quote bytes of a file name that are no UTF-8. */
    PyObject *said = PyUnicode_DecodeLocale(text && text[0] ? text : uf_status_text(status), "surrogateescape");
    PyObject *error = said ? PyObject_CallFunction(make, "Oii", said, status, reason) : NULL;
    Py_XDECREF(said);
    if (!error)
        return NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
    return NULL;
}

PyObject *raise_why(int status, const uf_error *why)
{
    return raise_status(status, why->reason, why->text);
}

PyObject *raise_invalid(const char *format, ...)
{
    char text[256];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return raise_status(UF_EINVAL, 0, text);
}

PyObject *raise_type(const char *format, PyObject *object)
{
    PyObject *name = PyType_GetName(Py_TYPE(object));
    if (name)
        PyErr_Format(PyExc_TypeError, format, name);
    Py_XDECREF(name);
    return NULL;
}
