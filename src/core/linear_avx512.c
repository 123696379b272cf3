/* SPDX-License-Identifier: MIT */
/* Back substitution on AVX-512: eight columns are one vector, and VPOPCNTDQ counts its bits. This file alone is
 * compiled for it; linear_path asks first. */
#include "linear.h"

#if defined(__AVX512VPOPCNTDQ__)
#include "linear_path.h"

linear_solver *const linear_avx512 = solve_any;

#else

linear_solver *const linear_avx512;

#endif
