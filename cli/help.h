/* SPDX-License-Identifier: MIT */
/* --help, man pages and completions: all of them the tables of args.h, written out. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "args.h"

extern const char help_about[]; /* what the program is, in a paragraph */

void help_program(FILE *out);
void help_command(FILE *out, const struct command *command);

/* The man page of a command, or of the program when `command` is NULL. */
void man_page(FILE *out, const struct command *command);

/* Completion scripts. */
void complete_bash(FILE *out);
void complete_zsh(FILE *out);
void complete_fish(FILE *out);

#endif
