/* SPDX-License-Identifier: MIT */
/* The 128 bits that stand for a key everywhere below the hash functions. */
#ifndef UF_HASH128_H
#define UF_HASH128_H

#include <stdint.h>

struct hash128 {
    uint64_t lo, hi;
};

#endif
