/* SPDX-License-Identifier: MIT */
/*
 * Taking turns at a file that is changed by replacing it. The lock (flock) is on the file itself; whoever waited for it
 * may hold that of a file which has been replaced meanwhile, and then starts again with the new one. The system drops
 * the lock of a process that dies. Readers need none.
 */
#ifndef UF_FILE_LOCK_H
#define UF_FILE_LOCK_H

#include <sys/stat.h>

#include "ultrafilter.h"

/* Not of uf_status. LOCK_AGAIN: another process has it, or replaced the file; try again. LOCK_NO_FILE: there is none.
 */
enum { LOCK_AGAIN = 1, LOCK_NO_FILE, LOCK_PAUSE_MS = 2 };

/* One attempt, with a short pause when it was in vain. `flags`: O_NOFOLLOW or 0. *fd is open and locked with UF_OK, and
 * -1 otherwise. `about` is about the file that there was. */
int lock_try(const char *path, int flags, int *fd, struct stat *about, uf_error *why);

/* The process that has the lock of this file; 0 when the system does not tell. */
long lock_holder(const struct stat *about);

#endif
