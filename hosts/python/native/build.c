/* SPDX-License-Identifier: MIT */
/* Methods that make a filter from keys: a builder, a set that is released with noise, a private copy. */
#include "filter.h"

#include "call.h"
#include "errors.h"
#include "learn.h"
#include "secret.h"
#include "verbs.h"

/* What all of them take. */
struct request {
    struct call call;
    uf_spec spec;
    PyObject *key; /* owned */
};

static int request_open(struct request *request, const char *spec, PyObject *key, unsigned threads, PyObject *progress,
                        const char *label)
{
    call_begin(&request->call, progress);
    request->call.context.threads = threads;
    request->call.context.label = label;
    int status = uf_spec_parse(spec, &request->spec, &request->call.why);
    if (status != UF_OK)
        return raise_why(status, &request->call.why), -1;
    request->key = secret_take(key, &request->call.context.secret);
    return request->key ? 0 : -1;
}

static PyObject *request_close(struct request *request, PyTypeObject *type, int status, uf_filter *filter)
{
    Py_DECREF(request->key);
    return status == UF_OK ? filter_wrap(type, filter) : call_raise(&request->call, status);
}

/* ---- from keys ---- */

/* A status; any but UF_OK with an exception, or a reason in the call. */
static int feed(struct call *call, PyObject *keys, uf_builder *builder, uf_set *set)
{
    struct source source;
    struct piece piece;
    uint64_t done = 0;
    int got, status = UF_OK;
    if (source_open(&source, keys))
        return UF_EINVAL;
    while (status == UF_OK && (got = source_next(&source, &piece)) != 0) {
        if (got < 0) {
            status = UF_EINVAL;
            break;
        }
        Py_BEGIN_ALLOW_THREADS status =
            builder ? verb_build(builder, &piece, &call->why) : verb_collect(set, &piece, &call->why);
        Py_END_ALLOW_THREADS done += piece.count;
        if (status == UF_OK && call_tell(call, done, source.count == (size_t)-1 ? 0 : source.count))
            status = UF_ECANCELED;
    }
    source_close(&source);
    return status;
}

static int build(struct request *request, PyObject *keys, uf_filter **out)
{
    struct call *call = &request->call;
    uf_builder *builder = NULL;
    int status = uf_builder_new(&request->spec, &call->context, &builder, &call->why);
    if (status == UF_OK && keys)
        status = feed(call, keys, builder, NULL);
    if (status == UF_OK) {
        Py_BEGIN_ALLOW_THREADS status = uf_builder_finish(builder, out, &call->why);
        Py_END_ALLOW_THREADS
    }
    uf_builder_free(builder);
    return status;
}

/* Learned kinds take negatives, and no other does. */
static int check_lesson(const uf_spec *spec, const struct lesson *lesson)
{
    const char *kind = uf_spec_kind(spec);
    int learned = (uf_kind_traits(kind) & UF_TRAIT_LEARNED) != 0;
    int given = lesson->negatives || lesson->valid || lesson->force;
    if (learned && !(lesson->negatives && lesson->valid))
        return raise_invalid("%s is a learned kind: give negatives=, to train a model, and valid=, other negatives to "
                             "plan its rate with",
                             kind),
               -1;
    if (!learned && given)
        return raise_invalid("negatives=, valid= and force= are for learned kinds, such as partition, not for %s",
                             kind),
               -1;
    return learned;
}

PyObject *filter_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"spec", "keys", "key", "threads", "progress", "label", "negatives", "valid", "force", NULL};
    const char *spec, *label = NULL;
    PyObject *keys = NULL, *key = NULL, *progress = NULL;
    unsigned threads = 1;
    struct lesson lesson = {NULL, NULL, NULL, 0};
    struct request request;
    uf_filter *filter = NULL;
    int status = UF_EINVAL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|O$OIOzOOp:Filter", names, &spec, &keys, &key, &threads, &progress,
                                     &label, &lesson.negatives, &lesson.valid, &lesson.force) ||
        request_open(&request, spec, key, threads, progress, label))
        return NULL;
    lesson.keys = keys;
    lesson.negatives = lesson.negatives == Py_None ? NULL : lesson.negatives;
    lesson.valid = lesson.valid == Py_None ? NULL : lesson.valid;
    int learned = check_lesson(&request.spec, &lesson);
    if (learned >= 0)
        status = learned ? learn(&request.call, &request.spec, &lesson, &filter) : build(&request, keys, &filter);
    return request_close(&request, type, status, filter);
}

/* ---- from a released set ---- */

/* A description, or a list of all keys there could be. */
static int open_universe(struct call *call, PyObject *argument, uf_universe **out)
{
    if (PyUnicode_Check(argument)) {
        const char *text = PyUnicode_AsUTF8AndSize(argument, NULL);
        return text ? uf_universe_parse(text, &call->context, out, &call->why) : UF_EINVAL;
    }
    return raise_type("a universe is said as str, such as 'range:1-1000000' or 'ipv4:10.0.0.0/8', not as %U", argument),
           UF_EINVAL;
}

static int release_set(struct request *request, PyObject *keys, const char *how, uf_universe *universe, uf_filter **out)
{
    struct call *call = &request->call;
    uf_set *set = NULL, *released = NULL;
    int status = uf_set_new(universe, &call->context, &set, &call->why);
    if (status == UF_OK)
        status = feed(call, keys, NULL, set);
    if (status == UF_OK) {
        Py_BEGIN_ALLOW_THREADS status = uf_set_release(set, how, &call->context, &released, &call->why);
        if (status == UF_OK)
            status = uf_build_set(&request->spec, released, &call->context, out, &call->why);
        Py_END_ALLOW_THREADS
    }
    uf_set_free(released);
    uf_set_free(set);
    return status;
}

PyObject *filter_build_set(PyObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"spec", "keys", "how", "universe", "key", "threads", "progress", "label", NULL};
    const char *spec, *how, *label = NULL;
    PyObject *keys, *universe, *key = NULL, *progress = NULL;
    unsigned threads = 1;
    struct request request;
    uf_universe *all = NULL;
    uf_filter *filter = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sOsO|$OIOz", names, &spec, &keys, &how, &universe, &key, &threads,
                                     &progress, &label) ||
        request_open(&request, spec, key, threads, progress, label))
        return NULL;
    int status = open_universe(&request.call, universe, &all);
    if (status == UF_OK)
        status = release_set(&request, keys, how, all, &filter);
    uf_universe_free(all);
    return request_close(&request, (PyTypeObject *)type, status, filter);
}

/* ---- from an exact filter ---- */

PyObject *filter_release(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"spec", "key", "label", "progress", NULL};
    struct filter_object *object = (struct filter_object *)self;
    const char *spec, *label = NULL;
    PyObject *key = NULL, *progress = NULL;
    struct request request;
    uf_filter *copy = NULL;
    int status = UF_EINVAL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|$OzO:release", names, &spec, &key, &label, &progress) ||
        request_open(&request, spec, key, 1, progress, label))
        return NULL;
    gate_read(&object->gate);
    if (filter_open(object)) {
        Py_BEGIN_ALLOW_THREADS status =
            uf_release(object->filter, &request.spec, &request.call.context, &copy, &request.call.why);
        Py_END_ALLOW_THREADS
    }
    gate_read_done(&object->gate);
    return request_close(&request, Py_TYPE(self), status, copy);
}
