/* SPDX-License-Identifier: MIT */
#include "call.h"

#include <string.h>
#include <time.h>

#include "errors.h"

enum { EVERY_MS = 50 };

static uint64_t milliseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int ask(struct call *call, uint64_t done, uint64_t total)
{
    if (PyErr_CheckSignals())
        return 1;
    if (!call->progress)
        return 0;
    PyObject *result = PyObject_CallFunction(call->progress, "KK", (unsigned long long)done, (unsigned long long)total);
    Py_XDECREF(result);
    return !result;
}

/* From any thread of the library, one at a time. */
static int on_progress(void *arg, uint64_t done, uint64_t total)
{
    struct call *call = arg;
    uint64_t now = milliseconds();
    if (now - call->last < EVERY_MS)
        return 0;
    call->last = now;
    PyGILState_STATE state = PyGILState_Ensure();
    int stop = ask(call, done, total);
    if (stop)
        PyErr_Fetch(&call->type, &call->value, &call->trace);
    PyGILState_Release(state);
    return stop;
}

int call_tell(struct call *call, uint64_t done, uint64_t total)
{
    return on_progress(call, done, total);
}

void call_begin(struct call *call, PyObject *progress)
{
    memset(call, 0, sizeof *call);
    call->context = (uf_context)UF_CONTEXT_INIT;
    call->context.progress = on_progress;
    call->context.progress_arg = call;
    call->progress = progress == Py_None ? NULL : progress;
    call->last = milliseconds();
}

PyObject *call_raise(struct call *call, int status)
{
    if (!call->type)
        return raise_why(status, &call->why);
    PyErr_Restore(call->type, call->value, call->trace);
    call->type = NULL;
    return NULL;
}

int call_check_signals(void *arg, uint64_t done, uint64_t total)
{
    static _Thread_local uint64_t last;
    uint64_t now = milliseconds();
    (void)arg, (void)done, (void)total;
    if (now - last < EVERY_MS)
        return 0;
    last = now;
    PyGILState_STATE state = PyGILState_Ensure();
    int stop = PyErr_CheckSignals(); /* the exception stays with this thread */
    PyGILState_Release(state);
    return stop;
}
