/* SPDX-License-Identifier: MIT */
/* Back substitution on NEON: eight columns are four vectors. */
#include "linear.h"

#if defined(__aarch64__) && !defined(__AARCH64EB__)
#include "linear_path.h"

linear_solver *const linear_neon = solve_any;

#else

linear_solver *const linear_neon;

#endif
