/* SPDX-License-Identifier: MIT */
/* ribbon on NEON: eight columns are four vectors. */
#include "ribbon.h"

#if defined(__aarch64__) && !defined(__AARCH64EB__)
#include "ribbon_path.h"

const struct filter_calls ribbon_neon[RIBBON_WIDTHS] = RIBBON_PATHS;

#else

const struct filter_calls ribbon_neon[RIBBON_WIDTHS];

#endif
