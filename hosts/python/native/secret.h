/* SPDX-License-Identifier: MIT */
/* The type Key: a master key that no text, pickle or traceback shows. */
#ifndef ULTRAFILTER_PYTHON_SECRET_H
#define ULTRAFILTER_PYTHON_SECRET_H

#include "host.h"

/* Puts the type into the module. 0, or -1 with an exception. */
int secret_init(PyObject *module);

/* The Key of an argument: None, a Key, or the path of a key file, which is loaded. A new reference, to None as well;
 * NULL with an exception. `out` is borrowed from it. */
PyObject *secret_take(PyObject *argument, const uf_secret **out);

#endif
