/* SPDX-License-Identifier: MIT */
/* The one progress line of the program, on stderr. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>

enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/* AUTO: only on a terminal, and only once the work has lasted a second. */
void progress_start(enum progress_when when);

/* A new piece of work, "building", of `total` units (0: not known). */
void progress_phase(const char *label, uint64_t total);

/* How far it is: units of the total, and keys. Cheap enough to be called for every block. */
void progress_show(uint64_t done, uint64_t keys);

/* A piece of work of which only the library knows how far it is, and its callback for
 * uf_context.progress. Outside such a piece the callback changes nothing. */
void progress_library_phase(const char *label);
int progress_from_library(void *unused, uint64_t done, uint64_t total);

/* Takes the line away, for a message or at the end. It comes back with the next update. */
void progress_hide(void);

#endif
