/* SPDX-License-Identifier: MIT */
/*
 * Columns of Apache Arrow, from any library that has them, through the C data interface and its capsules:
 * __arrow_c_array__, or __arrow_c_stream__ for a column in pieces. Strings and binaries (with offsets of 32 or 64
 * bits), binaries of one width, and integers; nulls are refused, as None is elsewhere.
 */
#ifndef ULTRAFILTER_PYTHON_ARROW_H
#define ULTRAFILTER_PYTHON_ARROW_H

#include "source.h"

/* 1: it is one, and open; 0: it is none; -1 with an exception. */
int arrow_open(struct source *source, PyObject *keys);
void arrow_close(struct source *source);
int arrow_next(struct source *source, struct piece *out);

#endif
