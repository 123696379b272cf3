/* SPDX-License-Identifier: MIT */
#ifndef UF_PLAN_SIZES_H
#define UF_PLAN_SIZES_H

#include "ops.h"

/* Bits that carry information in a filter of this plan, as uf_info has them. Kinds whose `shape` sets all sizes. */
int plan_bits(const struct filter_ops *ops, const struct spec *plan, uint64_t *bits, uf_error *why);

#endif
