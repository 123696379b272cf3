/* SPDX-License-Identifier: MIT */
/* ribbon without special instructions: the specification, and what runs where there are none. */
#define LINEAR_SCALAR
#include "ribbon_path.h"

const struct filter_calls ribbon_scalar[RIBBON_WIDTHS] = RIBBON_PATHS;
