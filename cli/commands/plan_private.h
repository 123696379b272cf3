/* SPDX-License-Identifier: MIT */
/* plan --epsilon: private designs side by side. */
#ifndef CLI_PLAN_PRIVATE_H
#define CLI_PLAN_PRIVATE_H

#include "args.h"

int plan_private(const struct args *args);

#endif
