/* SPDX-License-Identifier: MIT */
/*
 * What every file of the extension module starts with: Python's limited interface of 3.11, so that one build serves all
 * later versions, and the public header of the library.
 */
#ifndef ULTRAFILTER_PYTHON_HOST_H
#define ULTRAFILTER_PYTHON_HOST_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include "ultrafilter.h"

#endif
