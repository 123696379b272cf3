/* SPDX-License-Identifier: MIT */
/* dpset on AVX2 with AES. This file alone is compiled for them; dpset_calls_for asks first. */
#include "dpset.h"

#if defined(__AVX2__)
#include "dpset_path.h"

const struct dpset_calls dpset_avx2 = DPSET_PATH;

#else

const struct dpset_calls dpset_avx2;

#endif
