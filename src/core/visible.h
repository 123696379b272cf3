/* SPDX-License-Identifier: MIT */
#ifndef UF_VISIBLE_H
#define UF_VISIBLE_H

#include <stddef.h>

/* Whether a text is UTF-8 (RFC 3629) that a terminal shows as it is, on one line: no control characters, no separators
 * of lines, nothing that turns the direction of what follows, no byte order marks and no noncharacters. */
int is_visible(const char *text, size_t bytes);

#endif
