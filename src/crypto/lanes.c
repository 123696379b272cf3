/* SPDX-License-Identifier: MIT */
/* Many lanes at once, in vectors that every machine has: 64 bytes in four of them run out of registers. */
#include <string.h>

#define LANES_BYTES 16
#include "lanes_step.h"

#include "cpu.h"
#include "lanes_ways.h"

lanes_way *lanes_find(int way)
{
    if (way == LANES_BASE)
        return lanes_go;
    return cpu_choose(UF_CPU_AVX512) == UF_CPU_AVX512 ? lanes_with_avx512() : NULL;
}

/* What is not whole is made whole, and left out. */
void sample_fill(struct sampler *sampler, uint64_t threshold, uint64_t *out, size_t count)
{
    lanes_way *wide = lanes_find(LANES_AVX512), *go = wide ? wide : lanes_go;
    size_t whole = count / STEP;
    go(sampler, threshold, out, whole);
    count -= whole * STEP;
    if (!count)
        return;
    go(sampler, threshold, sampler->last, 1);
    memcpy(out + whole * STEP, sampler->last, count * sizeof *out);
}
