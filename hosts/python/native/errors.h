/* SPDX-License-Identifier: MIT */
/* Errors of the library as exceptions: ultrafilter/_errors.py says which class each status has. */
#ifndef ULTRAFILTER_PYTHON_ERRORS_H
#define ULTRAFILTER_PYTHON_ERRORS_H

#include "host.h"

/* Finds ultrafilter._errors. 0, or -1 with an exception. */
int errors_init(void);

/* Raise, and return NULL. An exception that is there already, of a signal for example, stays. */
PyObject *raise_status(int status, int reason, const char *text);
PyObject *raise_why(int status, const uf_error *why);
PyObject *raise_invalid(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A TypeError that names the type of `object`, where the format has %U. Returns NULL. */
PyObject *raise_type(const char *format, PyObject *object);

#endif
