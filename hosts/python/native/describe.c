/* SPDX-License-Identifier: MIT */
/* What is known about filters and specs, as dictionaries; ultrafilter/__init__.py makes types of them. */
#include "describe.h"

#include <math.h>

#include "errors.h"
#include "filter.h"

/* A new reference: None for NaN, which here always means that there is no such number. */
static PyObject *number(double value)
{
    return isnan(value) ? Py_NewRef(Py_None) : PyFloat_FromDouble(value);
}

/* ---- filters ---- */

PyObject *filter_info(PyObject *self, PyObject *unused)
{
    struct filter_object *object = (struct filter_object *)self;
    uf_info info;
    int status = UF_EINVAL;
    (void)unused;
    gate_read(&object->gate);
    if (filter_open(object)) {
        Py_BEGIN_ALLOW_THREADS status = uf_get_info(object->filter, &info, sizeof info);
        Py_END_ALLOW_THREADS
    }
    gate_read_done(&object->gate);
    if (status != UF_OK)
        return raise_status(status, 0, NULL);
    return Py_BuildValue("{s:s,s:K,s:K,s:K,s:N,s:N,s:N,s:N,s:z,s:I,s:N,s:I}", "kind", info.kind, "bytes",
                         (unsigned long long)info.bytes, "bits", (unsigned long long)info.bits, "capacity",
                         (unsigned long long)info.capacity, "count_estimate", number(info.count_estimate), "fill",
                         number(info.fill), "fpr_now", number(info.fpr_now), "count", number(info.count), "full",
                         info.full, "levels", info.levels, "declared", PyBool_FromLong(info.declared), "generations",
                         info.generations);
}

PyObject *filter_claim(PyObject *self, PyObject *unused)
{
    struct filter_object *object = (struct filter_object *)self;
    uf_claim claim;
    int status = UF_EINVAL;
    (void)unused;
    gate_read(&object->gate);
    if (filter_open(object)) {
        Py_BEGIN_ALLOW_THREADS status = uf_get_claim(object->filter, &claim, sizeof claim);
        Py_END_ALLOW_THREADS
    }
    gate_read_done(&object->gate);
    if (status != UF_OK)
        return raise_status(status, 0, NULL);
    return Py_BuildValue(
        "{s:N,s:d,s:N,s:N,s:N,s:N,s:N,s:I,s:I,s:s,s:s,s:s,s:s,s:z}", "epsilon", number(claim.epsilon), "delta",
        claim.delta, "fpr", number(claim.fpr), "adversarial_fpr", number(claim.adversarial_fpr), "fnr",
        number(claim.fnr), "adversarial_fnr", number(claim.adversarial_fnr), "removed_fpr", number(claim.removed_fpr),
        "fpr_against", claim.fpr_against, "fnr_against", claim.fnr_against, "unit", claim.unit, "adversary",
        claim.adversary, "not_protected", claim.not_protected, "proof", claim.proof, "rests_on", claim.rests_on);
}

PyObject *filter_get_spec(PyObject *self, void *unused)
{
    struct filter_object *object = (struct filter_object *)self;
    uf_spec plan;
    (void)unused;
    gate_look(&object->gate);
    if (!filter_open(object))
        return NULL;
    uf_get_plan(object->filter, &plan);
    return PyUnicode_FromString(plan.text);
}

PyObject *filter_get_key_id(PyObject *self, void *unused)
{
    struct filter_object *object = (struct filter_object *)self;
    char id[UF_KEY_ID_SIZE];
    (void)unused;
    gate_look(&object->gate);
    if (!filter_open(object))
        return NULL;
    uf_get_key_id(object->filter, id);
    return id[0] ? PyUnicode_FromString(id) : Py_NewRef(Py_None);
}

static PyObject *size_of(PyObject *self, int capacity)
{
    struct filter_object *object = (struct filter_object *)self;
    uf_sizes sizes;
    gate_look(&object->gate);
    if (!filter_open(object))
        return NULL;
    (void)uf_get_sizes(object->filter, &sizes, sizeof sizes);
    return PyLong_FromUnsignedLongLong(capacity ? sizes.capacity : sizes.payload_bytes);
}

PyObject *filter_get_capacity(PyObject *self, void *unused)
{
    (void)unused;
    return size_of(self, 1);
}

PyObject *filter_get_nbytes(PyObject *self, void *unused)
{
    (void)unused;
    return size_of(self, 0);
}

/* ---- specs ---- */

static PyObject *plan(PyObject *module, PyObject *args)
{
    const char *text;
    uf_spec spec;
    uf_error why;
    (void)module;
    if (!PyArg_ParseTuple(args, "s:plan", &text))
        return NULL;
    int status = uf_spec_parse(text, &spec, &why);
    if (status == UF_OK)
        status = uf_plan(&spec, &spec, &why);
    return status == UF_OK ? PyUnicode_FromString(spec.text) : raise_why(status, &why);
}

static PyObject *design_dict(const uf_design *design)
{
    int possible = design->status == UF_OK;
    double none = NAN;
    return Py_BuildValue("{s:s,s:z,s:z,s:z,s:z,s:N,s:N,s:N,s:N,s:N}", "mechanism", design->mechanism, "variant",
                         design->variant, "note", design->note, "why", possible ? NULL : design->why.text, "spec",
                         possible ? design->spec.text : NULL, "epsilon", number(possible ? design->epsilon : none),
                         "fpr", number(possible ? design->fpr : none), "fnr", number(possible ? design->fnr : none),
                         "f1", number(possible ? design->f1 : none), "bits_per_key",
                         number(possible ? design->bits_per_key : none));
}

static PyObject *designs(PyObject *module, PyObject *args)
{
    double epsilon, bits_per_key;
    unsigned long long n, universe;
    uf_design found[UF_MOST_DESIGNS];
    size_t count = 0;
    uf_error why;
    (void)module;
    if (!PyArg_ParseTuple(args, "dKdK:designs", &epsilon, &n, &bits_per_key, &universe))
        return NULL;
    int status = uf_designs(epsilon, n, bits_per_key, universe, found, sizeof found[0], UF_MOST_DESIGNS, &count, &why);
    if (status != UF_OK)
        return raise_why(status, &why);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *one = design_dict(&found[i]);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one))
            Py_CLEAR(list);
    }
    return list;
}

/* ---- the ledger ---- */

static PyObject *charge(PyObject *module, PyObject *args)
{
    PyObject *path;
    uf_charge what = UF_CHARGE_INIT;
    uf_ledger_state now;
    uf_error why;
    int status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&sssdddzz:charge", PyUnicode_FSConverter, &path, &what.data_set, &what.mechanism,
                          &what.id, &what.epsilon, &what.delta, &what.budget, &what.label, &what.file))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = uf_ledger_charge(PyBytes_AsString(path), &what, &now, sizeof now, &why);
    Py_END_ALLOW_THREADS Py_DECREF(path);
    if (status != UF_OK)
        return raise_why(status, &why);
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:K}", "budget", now.budget, "spent", now.spent, "left", now.left, "charged",
                         now.charged, "releases", (unsigned long long)now.releases);
}

PyMethodDef describe_functions[] = {
    {"plan", plan, METH_VARARGS, NULL},
    {"designs", designs, METH_VARARGS, NULL},
    {"charge", charge, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
