/* SPDX-License-Identifier: MIT */
/* dpset on AArch64 with AES. This file alone is compiled for them; dpset_calls_for asks first. */
#include "dpset.h"

#if defined(__aarch64__) && !defined(__AARCH64EB__)
#include "dpset_path.h"

const struct dpset_calls dpset_neon = DPSET_PATH;

#else

const struct dpset_calls dpset_neon;

#endif
