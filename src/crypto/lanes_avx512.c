/* SPDX-License-Identifier: MIT */
/* Many lanes at once in registers of AVX-512. This file alone is compiled for them; lanes_find asks first. */
#include "lanes_ways.h"

#if defined(__x86_64__) && defined(__AVX512F__)
#define LANES_BYTES 64
#include "lanes_step.h"

lanes_way *lanes_with_avx512(void)
{
    return lanes_go;
}

#else

lanes_way *lanes_with_avx512(void)
{
    return NULL;
}

#endif
