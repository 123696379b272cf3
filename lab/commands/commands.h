/* SPDX-License-Identifier: MIT */
/* The commands that commands.def lists, by name: command_build and so on. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "args.h"

#define COMMAND(name) extern const struct command command_##name;
#include "commands.def"
#undef COMMAND

#endif
