/* SPDX-License-Identifier: MIT */
/* ribbon on AVX-512: eight columns are one vector, and VPOPCNTDQ counts its bits. This file alone is compiled for
 * them; nothing in it runs before the machine was asked. */
#include "ribbon.h"

#if defined(__AVX512VPOPCNTDQ__)
#include "ribbon_path.h"

const struct filter_calls ribbon_avx512[RIBBON_WIDTHS] = RIBBON_PATHS;

#else

const struct filter_calls ribbon_avx512[RIBBON_WIDTHS];

#endif
