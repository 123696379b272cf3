/* SPDX-License-Identifier: MIT */
/* dpset on AVX-512 with VPOPCNTDQ and AES. This file alone is compiled for them; dpset_calls_for asks first. */
#include "dpset.h"

#if defined(__AVX512VPOPCNTDQ__)
#include "dpset_path.h"

const struct dpset_calls dpset_avx512 = DPSET_PATH;

#else

const struct dpset_calls dpset_avx512;

#endif
