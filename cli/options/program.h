/* SPDX-License-Identifier: MIT */
/* What both programs do: find the command, show help, write man pages and completions. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "args.h"

/* The whole of main: returns the exit status. */
int program_run(const struct program *program, int argc, char **argv);

#endif
