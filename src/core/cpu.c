/* SPDX-License-Identifier: MIT */
#include "cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static int has(int path)
{
    switch (path) {
    case UF_CPU_SCALAR:
        return 1;
#if defined(__aarch64__) && defined(__LITTLE_ENDIAN__) || defined(__aarch64__) && defined(__AARCH64EL__)
    case UF_CPU_NEON:
        return 1; /* part of the base architecture */
#elif defined(__x86_64__)
    case UF_CPU_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    case UF_CPU_AVX512:
        return has(UF_CPU_AVX2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif
    default:
        return 0;
    }
}

int cpu_choose(int request)
{
    if (request != UF_CPU_AUTO)
        return has(request) ? request : UF_EUNSUPPORTED;
    if (has(UF_CPU_NEON))
        return UF_CPU_NEON;
    if (has(UF_CPU_AVX512))
        return UF_CPU_AVX512;
    if (has(UF_CPU_AVX2))
        return UF_CPU_AVX2;
    return UF_CPU_SCALAR;
}

/* clang 14 knows no name for it. That the system keeps the registers is part of has. */
int cpu_has_vaes(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return has(UF_CPU_AVX512) && __builtin_cpu_supports("aes") && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
           (c & bit_VAES) != 0;
#else
    return 0;
#endif
}

int cpu_has_vpopcntdq(void)
{
#if defined(__x86_64__)
    return has(UF_CPU_AVX512) && __builtin_cpu_supports("avx512vpopcntdq");
#else
    return 0;
#endif
}
