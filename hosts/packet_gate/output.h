/* SPDX-License-Identifier: MIT */
/* A text file that is written whole or not at all. */
#ifndef GATE_OUTPUT_H
#define GATE_OUTPUT_H

#include <stdio.h>

/* Says what is wrong on stderr and returns NULL when it fails. "-" is standard output. */
FILE *output_open(const char *path);

/* Non-zero, and said on stderr, when not everything could be written; the part of it is removed. */
int output_close(FILE *file, const char *path);

/* Takes away what is no use to anybody, when it is a plain file: never a device or a pipe. */
void output_discard(FILE *file, const char *path);

#endif
