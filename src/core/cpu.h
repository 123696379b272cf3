/* SPDX-License-Identifier: MIT */
/* Which instruction set a filter runs on: decided once, when the filter is made. */
#ifndef UF_CPU_H
#define UF_CPU_H

#include "ultrafilter.h"

/* The path to take for a request: the request itself, the best this machine has for UF_CPU_AUTO, or
 * UF_EUNSUPPORTED (negative) for one it lacks. */
int cpu_choose(int request);

/* Whether UF_CPU_AVX512 has instructions for four blocks of AES at once. Not part of the path: the first processors
 * with AVX-512 lack them. */
int cpu_has_vaes(void);

/* The same about the instruction that counts the bits of eight words. */
int cpu_has_vpopcntdq(void);

#endif
