/* SPDX-License-Identifier: MIT */
/* Methods that change a filter as a whole, or make another one of it. */
#include "filter.h"

#include "call.h"
#include "errors.h"
#include "secret.h"

/* The lower address first, so that two threads with the same two filters the other way round never wait for each other.
 */
static void enter_both(struct filter_object *into, struct filter_object *from)
{
    if (from < into)
        gate_read(&from->gate);
    gate_write(&into->gate);
    if (from > into)
        gate_read(&from->gate);
}

static int merge(struct filter_object *into, struct filter_object *from, uf_error *why)
{
    int status = UF_EINVAL;
    if (!filter_open(into) || !filter_open(from))
        return status;
    uf_set_progress(into->filter, NULL, NULL); /* with that it would take a copy of `into` */
    Py_BEGIN_ALLOW_THREADS status = uf_merge(into->filter, from->filter, why);
    Py_END_ALLOW_THREADS uf_set_progress(into->filter, call_check_signals, NULL);
    return status;
}

PyObject *filter_merge(PyObject *self, PyObject *argument)
{
    struct filter_object *into = (struct filter_object *)self, *from = filter_check(argument);
    uf_error why = {0, 0, ""};
    if (!from)
        return NULL;
    if (into == from)
        return Py_NewRef(Py_None);
    enter_both(into, from);
    int status = merge(into, from, &why);
    gate_write_done(&into->gate);
    gate_read_done(&from->gate);
    return status == UF_OK ? Py_NewRef(Py_None) : raise_why(status, &why);
}

PyObject *filter_rotate(PyObject *self, PyObject *unused)
{
    struct filter_object *object = (struct filter_object *)self;
    uf_error why = {0, 0, ""};
    int status = UF_EINVAL;
    (void)unused;
    gate_write(&object->gate);
    if (filter_open(object))
        status = uf_rotate(object->filter, &why);
    gate_write_done(&object->gate);
    return status == UF_OK ? Py_NewRef(Py_None) : raise_why(status, &why);
}

PyObject *filter_copy(PyObject *self, PyObject *unused)
{
    struct filter_object *object = (struct filter_object *)self;
    uf_error why = {0, 0, ""};
    uf_filter *copy = NULL;
    int status = UF_EINVAL;
    (void)unused;
    gate_read(&object->gate);
    if (filter_open(object)) {
        Py_BEGIN_ALLOW_THREADS status = uf_copy(object->filter, NULL, &copy, &why);
        Py_END_ALLOW_THREADS
    }
    gate_read_done(&object->gate);
    if (status != UF_OK)
        return raise_why(status, &why);
    PyObject *twin = filter_wrap(Py_TYPE(self), copy);
    if (twin)
        ((struct filter_object *)twin)->shared = object->shared;
    return twin;
}

PyObject *filter_share(PyObject *self, PyObject *on)
{
    struct filter_object *object = (struct filter_object *)self;
    int value = PyObject_IsTrue(on), status = UF_EINVAL;
    if (value < 0)
        return NULL;
    gate_write(&object->gate);
    if (filter_open(object))
        status = uf_tune(object->filter, UF_KNOB_SHARED, value);
    if (status == UF_OK)
        object->shared = value;
    gate_write_done(&object->gate);
    return status == UF_OK ? Py_NewRef(Py_None) : raise_status(status, 0, NULL);
}

PyObject *filter_unlock(PyObject *self, PyObject *argument)
{
    struct filter_object *object = (struct filter_object *)self;
    struct call call;
    int status = UF_EINVAL;
    call_begin(&call, NULL);
    PyObject *key = secret_take(argument, &call.context.secret);
    if (!key)
        return NULL;
    gate_write(&object->gate);
    if (filter_open(object)) {
        status = uf_unlock(object->filter, &call.context, &call.why);
        filter_look(object);
    }
    gate_write_done(&object->gate);
    Py_DECREF(key);
    return status == UF_OK ? Py_NewRef(Py_None) : call_raise(&call, status);
}

PyObject *filter_close(PyObject *self, PyObject *unused)
{
    struct filter_object *object = (struct filter_object *)self;
    (void)unused;
    gate_write(&object->gate);
    uf_free(object->filter);
    object->filter = NULL;
    if (object->viewed)
        PyBuffer_Release(&object->bytes);
    object->viewed = 0;
    gate_write_done(&object->gate);
    return Py_NewRef(Py_None);
}
