/* SPDX-License-Identifier: MIT */
/*
 * What a command writes is nothing that it reads, and nothing that would be missed: for every command at once, from the
 * tables of its options (args.h). Files are told apart by device and inode, so links, ./x and second names are no way
 * around it; those that do not exist yet by folder and name.
 */
#ifndef CLI_PATHS_H
#define CLI_PATHS_H

#include "args.h"

/* For all that was given, before the command runs. EXIT_FINE, or EXIT_ERROR after a message. */
int paths_check(const struct args *args);

/* The same for a path that is written and was not given as such, like the default name of a signature. */
int paths_check_output(const struct args *args, const char *path, enum value_type what);

/* Both names are of one file. */
bool paths_same(const char *a, const char *b);

#endif
