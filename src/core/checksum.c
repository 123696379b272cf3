/* SPDX-License-Identifier: MIT */
#include "checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t checksum(const void *data, size_t bytes, uint64_t salt)
{
    return XXH3_64bits_withSeed(data, bytes, salt);
}
