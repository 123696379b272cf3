/* SPDX-License-Identifier: MIT */
/* ribbon on AVX2: eight columns are two vectors. This file alone is compiled for it; nothing in it runs before the
 * machine was asked. */
#include "ribbon.h"

#if defined(__AVX2__)
#include "ribbon_path.h"

const struct filter_calls ribbon_avx2[RIBBON_WIDTHS] = RIBBON_PATHS;

#else

const struct filter_calls ribbon_avx2[RIBBON_WIDTHS];

#endif
