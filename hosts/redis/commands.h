/* SPDX-License-Identifier: MIT */
/* The table of commands: what COMMAND INFO, COMMAND DOCS and access lists know of them. */
#ifndef UFR_COMMANDS_H
#define UFR_COMMANDS_H

#include "host.h"

int commands_create(RedisModuleCtx *ctx);

#endif
