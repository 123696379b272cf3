/* SPDX-License-Identifier: MIT */
/* Back substitution without special instructions: the specification. */
#define LINEAR_SCALAR
#include "linear_path.h"

linear_solver *const linear_scalar = solve_any;
