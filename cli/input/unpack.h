/* SPDX-License-Identifier: MIT */
/*
 * Compressed bytes, unpacked by a thread of their own into a pipe, from which whoever wants them reads as from any
 * other: memory is a few buffers, whatever comes out, and unpacking goes on beside the work on what came out before.
 */
#ifndef CLI_UNPACK_H
#define CLI_UNPACK_H

#include "source.h"

struct unpacking;

/* Starts to unpack `raw`, of which it takes a copy and which it does not close. *fd is where the bytes come out, owned
 * by the caller. EXIT_FINE, or EXIT_ERROR after a message. */
int unpacking_start(const struct source *raw, struct unpacking **out, int *fd);

/* How many of the compressed bytes were read so far. */
uint64_t unpacking_taken(const struct unpacking *unpacking);

/* After the last byte that came out: was it the end? EXIT_FINE, or EXIT_ERROR after a message. */
int unpacking_end(struct unpacking *unpacking);

/* Stops it wherever it is, once the other end of the pipe is closed, and frees it. NULL: nothing to do. */
void unpacking_free(struct unpacking *unpacking);

#endif
