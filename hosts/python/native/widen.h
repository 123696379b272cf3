/* SPDX-License-Identifier: MIT */
/* Elements of arrays that are not yet the bytes of a key: narrower integers, other byte orders, UCS-4. */
#ifndef ULTRAFILTER_PYTHON_WIDEN_H
#define ULTRAFILTER_PYTHON_WIDEN_H

#include "source.h"

/* Bytes that a key made of an element of this width may take. */
size_t widen_bytes(enum element element, size_t width);

/* Writes the key of one element, and returns its bytes. What is no character in UCS-4 becomes U+FFFD. */
size_t widen(enum element element, const char *from, size_t width, int swapped, unsigned char *out);

#endif
