/* SPDX-License-Identifier: MIT */
#include "checksum.h"

#include "cpu.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* With what every processor of the architecture has: NEON or SSE2. */
static uint64_t base(const void *data, size_t bytes, uint64_t salt)
{
    return XXH3_64bits_withSeed(data, bytes, salt);
}

static int has(int way)
{
    return cpu_choose(way == CHECKSUM_AVX512 ? UF_CPU_AVX512 : UF_CPU_AVX2) > 0;
}

checksum_way *checksum_find(int way)
{
    switch (way) {
    case CHECKSUM_AVX512:
        return has(way) ? checksum_with_avx512() : NULL;
    case CHECKSUM_AVX2:
        return has(way) ? checksum_with_avx2() : NULL;
    case CHECKSUM_NEON:
        return checksum_with_neon();
    default:
        return base;
    }
}

/* Short ones are not computed in vectors. */
uint64_t checksum(const void *data, size_t bytes, uint64_t salt)
{
    int way = bytes > XXH3_MIDSIZE_MAX ? CHECKSUM_WAYS - 1 : CHECKSUM_BASE;
    while (!checksum_find(way))
        way--;
    return checksum_find(way)(data, bytes, salt);
}
