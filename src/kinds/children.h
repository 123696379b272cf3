/* SPDX-License-Identifier: MIT */
/* The kinds that learned filters are made of, and what they cost. */
#ifndef UF_CHILDREN_H
#define UF_CHILDREN_H

#include "ops.h"

/* Bits that a filter costs beyond its rate: tables, padding, its description. For comparing designs. */
#define CHILD_BITS 1024.0

/* Standard errors that are planned on top of the estimated rate. Thresholds are chosen where the negatives happen to be
 * few, so a promise is missed more often than by chance alone: of 1000 designs at 1 % with 10,000 negatives 14 were
 * above it, by 7 % at most, and with 1000 negatives 33, by a quarter. One more costs half a percent of the bits for
 * half a million negatives and a rate of 0.1 %. */
#define REGIONS_MARGIN 3.0

/* Bits per key for each halving of the rate; 0 when filters of this kind cannot be children. */
double child_factor(const char *kind);

/* NULL when there is no such child. */
const struct filter_ops *child_by_name(const char *kind);
const struct filter_ops *child_by_id(uint64_t id);

#endif
