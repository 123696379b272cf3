/* SPDX-License-Identifier: MIT */
/* Ctrl-C waits until a file is written, so that no temporary file is left behind. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <signal.h>

/* Blocks what would end the program; the result is for signals_restore. */
sigset_t signals_hold(void);
void signals_restore(const sigset_t *before);

#endif
