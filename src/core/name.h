/* SPDX-License-Identifier: MIT */
/* Names that people give to data sets and releases: visible characters without a space, so that they can stand in a
 * line of text. Bytes above 127 are visible. */
#ifndef UF_NAME_H
#define UF_NAME_H

#include <stddef.h>

/* Whether a text is such a name, not empty, and fits `capacity` bytes with its NUL. */
int name_fits(const char *text, size_t capacity);

#endif
