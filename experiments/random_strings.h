/* SPDX-License-Identifier: MIT */
/* Random strings of 50 letters, as the UltraFilter paper used. */
#ifndef EXPERIMENTS_RANDOM_STRINGS_H
#define EXPERIMENTS_RANDOM_STRINGS_H

#include <stddef.h>

#include "stream.h"

enum { STRING_BYTES = 50 };

/* `count` strings back to back. */
void random_strings_draw(struct stream *stream, char *out, size_t count);

#endif
