/* SPDX-License-Identifier: MIT */
#include "region_plan.h"

#include <string.h>

int region_plan(const struct filter_ops *ops, uint64_t keys, double fpr, struct spec *plan, uf_error *why)
{
    *plan = (struct spec){.count = 0};
    strcpy(plan->kind, ops->name);
    spec_set_number(plan, "n", (double)keys);
    spec_set_number(plan, "fpr", fpr);
    return ops->plan(ops, plan, why);
}
