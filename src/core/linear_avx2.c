/* SPDX-License-Identifier: MIT */
/* Back substitution on AVX2: eight columns are two vectors. This file alone is
 * compiled for it; linear_path asks first. */
#include "linear.h"

#if defined(__AVX2__)
#include "linear_path.h"

linear_solver *const linear_avx2 = solve_any;

#else

linear_solver *const linear_avx2;

#endif
