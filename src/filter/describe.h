/* SPDX-License-Identifier: MIT */
/* What is known of a filter: its plan, figures, claim. */
#ifndef UF_DESCRIBE_H
#define UF_DESCRIBE_H

#include "ops.h"

/* A plan from which a twin is built, seed included. */
void plan_of(const struct uf_filter *filter, struct spec *plan);

#endif
