/* SPDX-License-Identifier: MIT */
/*
 * A long call into the library: its context, and what stops it. A build tells how far it is about twenty times a
 * second; then signals are looked at, so that Ctrl-C ends it, and a function of the user's is asked.
 */
#ifndef ULTRAFILTER_PYTHON_CALL_H
#define ULTRAFILTER_PYTHON_CALL_H

#include "host.h"

struct call {
    uf_context context;
    uf_error why;
    PyObject *progress;             /* borrowed; NULL: nobody */
    PyObject *type, *value, *trace; /* what the user's function raised */
    uint64_t last;                  /* milliseconds: when it was asked last */
};

/* Sets it up. `progress` may be NULL or None. */
void call_begin(struct call *call, PyObject *progress);

/* Says how far a call is; non-zero when it shall stop. For what is done between calls of the library. */
int call_tell(struct call *call, uint64_t done, uint64_t total);

/* Raises what stopped the call, or what the library says. Returns NULL. */
PyObject *call_raise(struct call *call, int status);

/* For uf_set_progress: looks at signals now and then. */
int call_check_signals(void *arg, uint64_t done, uint64_t total);

#endif
