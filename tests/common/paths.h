/* SPDX-License-Identifier: MIT */
/* All paths that there are, for tests that take every one that this machine has. */
#ifndef UF_TEST_PATHS_H
#define UF_TEST_PATHS_H

#include "ultrafilter.h"

/* From UF_CPU_SCALAR on: a path that comes later in the header goes here and gets a name below. */
enum { LAST_PATH = UF_CPU_AVX512 };

static inline const char *path_name(int cpu)
{
    static const char *const names[] = {"automatic", "scalar", "NEON", "AVX2", "AVX-512"};
    return names[cpu];
}

#endif
