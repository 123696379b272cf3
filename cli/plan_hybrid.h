/* SPDX-License-Identifier: MIT */
/* plan --adversarial-share: a keyed filter and Downtown filters of the same memory, or of the same rate. */
#ifndef CLI_PLAN_HYBRID_H
#define CLI_PLAN_HYBRID_H

#include "args.h"

/* One of the options was given that only this plan has. */
bool plan_hybrid_is_meant(const struct args *args);

int plan_hybrid(const struct args *args);

#endif
