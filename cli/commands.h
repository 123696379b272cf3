/* SPDX-License-Identifier: MIT */
/* The subcommands: one cmd_*.c each. A new one is added here and to the table in main.c. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "args.h"

extern const struct command command_build, command_rebuild, command_train, command_insert, command_remove,
    command_query, command_merge, command_info, command_plan, command_publish, command_ledger, command_keygen,
    command_sign, command_verify, command_audit, command_game, command_attack, command_reproduce;

#endif
