/* SPDX-License-Identifier: MIT */
/* --help, man pages and completions: all of them the tables of args.h, written out. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "args.h"

void help_program(FILE *out, const struct program *program);
void help_command(FILE *out, const struct program *program, const struct command *command);

/* The man page of a command, or of the program when `command` is NULL. */
void man_page(FILE *out, const struct program *program, const struct command *command);

/* Completion scripts. */
void complete_bash(FILE *out, const struct program *program);
void complete_zsh(FILE *out, const struct program *program);
void complete_fish(FILE *out, const struct program *program);

#endif
