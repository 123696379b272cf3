/* SPDX-License-Identifier: MIT */
/* Random strings of 50 letters, as the UltraFilter paper used. */
#ifndef EXPERIMENTS_RANDOM_STRINGS_H
#define EXPERIMENTS_RANDOM_STRINGS_H

#include "stream.h"

enum { STRING_BYTES = 50 };

/* `count` strings back to back, to be freed; NULL when there is no memory. */
char *random_strings_make(struct stream *stream, uint64_t count);

#endif
