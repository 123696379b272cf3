/* SPDX-License-Identifier: MIT */
/* Random texts of 50 letters, as the UltraFilter paper used. */
#ifndef EXPERIMENTS_TEXTS_H
#define EXPERIMENTS_TEXTS_H

#include "stream.h"

enum { TEXT_BYTES = 50 };

/* `count` texts back to back, to be freed; NULL when there is no memory. */
char *texts_make(struct stream *stream, uint64_t count);

#endif
