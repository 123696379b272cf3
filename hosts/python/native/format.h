/* SPDX-License-Identifier: MIT */
/* What the elements of a buffer are, from its format as the module struct has it. */
#ifndef ULTRAFILTER_PYTHON_FORMAT_H
#define ULTRAFILTER_PYTHON_FORMAT_H

#include "source.h"

/* 0, or -1 with an exception: floating-point numbers, records, too many dimensions. */
int format_read(const Py_buffer *view, struct column *out);

#endif
