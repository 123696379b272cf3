/* SPDX-License-Identifier: MIT */
/* Small integer arithmetic shared by everything that turns hash bits into positions. */
#ifndef UF_ARITH_H
#define UF_ARITH_H

#include <stdint.h>

/* The upper 64 bits of a * b. With b < 2^64 a range and a uniform, this is uniform in [0, b): "multiply-shift". */
static inline uint64_t mul_high(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    return (uint64_t)((unsigned __int128)a * b >> 64);
#else
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    uint64_t mid1 = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t mid2 = (a & UINT32_MAX) * (b >> 32) + (mid1 & UINT32_MAX);
    return (a >> 32) * (b >> 32) + (mid1 >> 32) + (mid2 >> 32);
#endif
}

/* A bijection of 64 bits in which every input bit reaches every output bit (two xor-multiply rounds). */
static inline uint64_t mix64(uint64_t x)
{
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

static inline uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

#endif
