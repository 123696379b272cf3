/* SPDX-License-Identifier: MIT */
/*
 * The file that will take another one's place: PATH.~0 to PATH.~15, mode 0600, whichever is free. Whoever writes one
 * holds a lock on it until it has its name, which the system drops when the process dies; so the next that writes to
 * the same path can tell what a dead one has left behind, and removes it. No folder is searched for that.
 */
#ifndef UF_FILE_TEMPORARY_H
#define UF_FILE_TEMPORARY_H

#include "ultrafilter.h"

enum { TEMPORARY_SLOTS = 16, TEMPORARY_NAME = 4096 };

/* Makes one. Returns its descriptor, with the lock and its name in `out`, or a negative status. The lock is that of the
 * open file: it lasts until all duplicates of the descriptor are closed. */
int temporary_create(const char *path, char out[TEMPORARY_NAME], uf_error *why);

#endif
