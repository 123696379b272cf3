/* SPDX-License-Identifier: MIT */
#include "filter.h"

#include "call.h"
#include "errors.h"

static PyTypeObject *filter_type;

/* ---- for the files of the methods ---- */

void filter_look(struct filter_object *self)
{
    unsigned normal = uf_get_normal(self->filter);
    self->barred = uf_is_locked(self->filter) || (normal & (UF_NORMAL_LOWERCASE | UF_NORMAL_TRIM));
}

PyObject *filter_wrap(PyTypeObject *type, uf_filter *filter)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct filter_object *self = (struct filter_object *)alloc(type, 0);
    if (!self) {
        uf_free(filter);
        return NULL;
    }
    self->filter = filter;
    gate_init(&self->gate);
    uf_set_progress(filter, call_check_signals, NULL);
    filter_look(self);
    return (PyObject *)self;
}

uf_filter *filter_open(struct filter_object *self)
{
    if (!self->filter)
        raise_invalid("this filter was closed");
    return self->filter;
}

uf_filter *filter_usable(struct filter_object *self)
{
    if (!filter_open(self) || !self->barred)
        return self->filter;
    if (uf_is_locked(self->filter))
        raise_status(UF_EKEY, 0, "this filter is locked: give it the key that it was made with, filter.unlock(key)");
    else
        raise_status(
            UF_EUNSUPPORTED, 0,
            "the keys of this filter were made lowercase or trimmed when it was built, which is not done here: "
            "ask it with the program ultrafilter, or build one of the keys as they are");
    return NULL;
}

struct filter_object *filter_check(PyObject *object)
{
    if (PyObject_TypeCheck(object, filter_type))
        return (struct filter_object *)object;
    raise_type("a Filter is needed here, not %U", object);
    return NULL;
}

/* ---- the type ---- */

static PyObject *repr(PyObject *self)
{
    struct filter_object *object = (struct filter_object *)self;
    uf_sizes sizes;
    uf_spec plan;
    gate_look(&object->gate);
    if (!object->filter)
        return PyUnicode_FromString("<ultrafilter.Filter, closed>");
    uf_get_plan(object->filter, &plan);
    (void)uf_get_sizes(object->filter, &sizes, sizeof sizes);
    return PyUnicode_FromFormat("<ultrafilter.Filter %s%s, %llu bytes>", uf_spec_is_keyed(&plan) ? "keyed " : "",
                                uf_spec_kind(&plan), (unsigned long long)sizes.payload_bytes);
}

static void dealloc(PyObject *self)
{
    struct filter_object *object = (struct filter_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    uf_free(object->filter);
    if (object->viewed)
        PyBuffer_Release(&object->bytes);
    gate_destroy(&object->gate);
    release(self);
    Py_DECREF(type);
}

static PyObject *get_kind(PyObject *self, void *unused)
{
    struct filter_object *object = (struct filter_object *)self;
    uf_spec plan;
    (void)unused;
    gate_look(&object->gate);
    if (!filter_open(object))
        return NULL;
    uf_get_plan(object->filter, &plan);
    return PyUnicode_FromString(uf_spec_kind(&plan));
}

static PyObject *get_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(!((struct filter_object *)self)->filter);
}

static PyObject *get_locked(PyObject *self, void *unused)
{
    struct filter_object *object = (struct filter_object *)self;
    (void)unused;
    gate_look(&object->gate);
    return filter_open(object) ? PyBool_FromLong(uf_is_locked(object->filter)) : NULL;
}

static PyObject *get_shared(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((struct filter_object *)self)->shared);
}

#define KEYWORDS(function) (PyCFunction)(void (*)(void)) function

static PyMethodDef methods[] = {
    {"_load", KEYWORDS(filter_load), METH_VARARGS | METH_KEYWORDS | METH_CLASS, NULL},
    {"_loads", KEYWORDS(filter_loads), METH_VARARGS | METH_KEYWORDS | METH_CLASS, NULL},
    {"_build_set", KEYWORDS(filter_build_set), METH_VARARGS | METH_KEYWORDS | METH_CLASS, NULL},
    {"_release", KEYWORDS(filter_release), METH_VARARGS | METH_KEYWORDS, NULL},
    {"_query", filter_query, METH_O, NULL},
    {"_add", filter_add, METH_O, NULL},
    {"_remove", filter_remove, METH_O, NULL},
    {"_merge", filter_merge, METH_O, NULL},
    {"_share", filter_share, METH_O, NULL},
    {"_info", filter_info, METH_NOARGS, NULL},
    {"_claim", filter_claim, METH_NOARGS, NULL},
    {"save", KEYWORDS(filter_save), METH_VARARGS | METH_KEYWORDS,
     "save($self, path, *, format='uf')\n--\n\nWrites the file, or replaces it as a whole. format 'dcso': as DCSO's "
     "bloom has it, kind dcso only."},
    {"dumps", KEYWORDS(filter_dumps), METH_VARARGS | METH_KEYWORDS,
     "dumps($self, *, compact=False)\n--\n\nThe bytes of its .uf file. compact: with a packed header, for values that "
     "are "
     "kept in many places and never mapped; loads takes both."},
    {"copy", filter_copy, METH_NOARGS, "copy($self)\n--\n\nAn independent twin, in memory."},
    {"rotate", filter_rotate, METH_NOARGS,
     "rotate($self)\n--\n\nFilters with window=G: drops the oldest generation and starts an empty one."},
    {"unlock", filter_unlock, METH_O,
     "unlock($self, key)\n--\n\nGives a locked filter its key: a Key, or the path of a key file."},
    {"fingerprint", filter_fingerprint, METH_NOARGS,
     "fingerprint($self)\n--\n\n32 hexadecimal digits that stand for the bytes of its .uf file."},
    {"verify", filter_verify, METH_NOARGS,
     "verify($self)\n--\n\nChecks what a mapped filter or a view has not been checked against its checksums yet."},
    {"close", filter_close, METH_NOARGS,
     "close($self)\n--\n\nWipes it and gives its memory back. Nothing but repr works afterwards."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"kind", get_kind, NULL, "The kind; of keyed(KIND:...) the one inside.", NULL},
    {"spec", filter_get_spec, NULL, "A spec with every number and the seed: what makes a twin for a union.", NULL},
    {"key_id", filter_get_key_id, NULL, "The id of the key it was made with; None when it has none.", NULL},
    {"capacity", filter_get_capacity, NULL, "The n it was planned for.", NULL},
    {"nbytes", filter_get_nbytes, NULL, "Bytes of its words in memory.", NULL},
    {"closed", get_closed, NULL, "True after close().", NULL},
    {"locked", get_locked, NULL, "True for a keyed filter that was loaded without its key.", NULL},
    {"_shared", get_shared, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)filter_new},
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_repr, (void *)repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {Py_sq_contains, (void *)filter_contains},
    {Py_bf_getbuffer, (void *)filter_getbuffer},
    {0, NULL},
};

static PyType_Spec spec = {"ultrafilter._core.Filter", sizeof(struct filter_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

int filter_init(PyObject *module)
{
    if (!filter_type)
        filter_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return filter_type ? PyModule_AddObjectRef(module, "Filter", (PyObject *)filter_type) : -1;
}
