/* SPDX-License-Identifier: MIT */
#ifndef UF_REGION_PLAN_H
#define UF_REGION_PLAN_H

#include "ops.h"

/* The plan of a filter inside a learned one. */
int region_plan(const struct filter_ops *ops, uint64_t keys, double fpr, struct spec *plan, uf_error *why);

#endif
