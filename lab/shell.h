/* SPDX-License-Identifier: MIT */
/*
 * A command of the user's that makes a file of a list of keys, run by /bin/sh in the current folder:
 *
 *   {keys}   becomes the path of the list, one key a line; without it the list is on standard input
 *   {out}    the path where the file is expected; without it the file is what the command writes to standard output
 *   {run}    a number that no other run has: a label, or a seed
 *
 * Both paths are in a folder of that run alone, which is removed with all that is in it. Nothing in them tells which of
 * two worlds it is. What the command prints is seen without the name of that folder.
 */
#ifndef LAB_SHELL_H
#define LAB_SHELL_H

#include "observation.h"

/* A command that fails is an observation and no error, and why->text says how it ended. UF_EIO: it could not be run. */
int shell_observe(const char *command, const uf_key *keys, size_t count, uf_key x, const uf_context *ctx,
                  struct observation *out, uf_error *why);

#endif
