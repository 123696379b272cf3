/* SPDX-License-Identifier: MIT */
/* The type _core.Filter: a handle of the library. ultrafilter.Filter derives from it and has what needs no C. */
#ifndef ULTRAFILTER_PYTHON_FILTER_H
#define ULTRAFILTER_PYTHON_FILTER_H

#include "gate.h"
#include "host.h"

struct filter_object {
    PyObject_HEAD uf_filter *filter; /* NULL: it is closed */
    Py_buffer bytes;                 /* that the filter looks at, when `viewed` is set */
    int viewed;
    int shared; /* UF_KNOB_SHARED is on */
    int barred; /* its keys were made small or trimmed, or it is locked: asking would give wrong answers */
    struct gate gate;
};

int filter_init(PyObject *module);

/* A new object of `type` for a filter, which is freed when there is no memory for that. */
PyObject *filter_wrap(PyTypeObject *type, uf_filter *filter);

/* The filter of an object, NULL with an exception when it is closed, or is no filter. */
uf_filter *filter_open(struct filter_object *self);
struct filter_object *filter_check(PyObject *object);

/* The same for a filter that is asked or changed by key. */
uf_filter *filter_usable(struct filter_object *self);

/* Looks again whether it is barred, after a change. */
void filter_look(struct filter_object *self);

/* The methods, from the files named. */
PyObject *filter_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);   /* build.c */
PyObject *filter_release(PyObject *self, PyObject *args, PyObject *kwargs);   /* build.c */
PyObject *filter_build_set(PyObject *type, PyObject *args, PyObject *kwargs); /* build.c */
int filter_contains(PyObject *self, PyObject *key);                           /* keys.c */
PyObject *filter_query(PyObject *self, PyObject *keys);                       /* keys.c */
PyObject *filter_add(PyObject *self, PyObject *keys);                         /* keys.c */
PyObject *filter_remove(PyObject *self, PyObject *keys);                      /* keys.c */
PyObject *filter_merge(PyObject *self, PyObject *other);                      /* change.c */
PyObject *filter_rotate(PyObject *self, PyObject *unused);                    /* change.c */
PyObject *filter_copy(PyObject *self, PyObject *unused);                      /* change.c */
PyObject *filter_share(PyObject *self, PyObject *on);                         /* change.c */
PyObject *filter_unlock(PyObject *self, PyObject *key);                       /* change.c */
PyObject *filter_close(PyObject *self, PyObject *unused);                     /* change.c */
PyObject *filter_load(PyObject *type, PyObject *args, PyObject *kwargs);      /* files.c */
PyObject *filter_loads(PyObject *type, PyObject *args, PyObject *kwargs);     /* files.c */
PyObject *filter_save(PyObject *self, PyObject *args, PyObject *kwargs);      /* files.c */
PyObject *filter_dumps(PyObject *self, PyObject *args, PyObject *kwargs);     /* files.c */
PyObject *filter_fingerprint(PyObject *self, PyObject *unused);               /* files.c */
PyObject *filter_verify(PyObject *self, PyObject *unused);                    /* files.c */
int filter_getbuffer(PyObject *self, Py_buffer *view, int flags);             /* files.c */
PyObject *filter_info(PyObject *self, PyObject *unused);                      /* describe.c */
PyObject *filter_claim(PyObject *self, PyObject *unused);                     /* describe.c */
PyObject *filter_get_spec(PyObject *self, void *unused);                      /* describe.c */
PyObject *filter_get_key_id(PyObject *self, void *unused);                    /* describe.c */
PyObject *filter_get_capacity(PyObject *self, void *unused);                  /* describe.c */
PyObject *filter_get_nbytes(PyObject *self, void *unused);                    /* describe.c */

#endif
