/* SPDX-License-Identifier: MIT */
/* The ways to compute sample_fill (sample.h); they give the same words. */
#ifndef UF_LANES_WAYS_H
#define UF_LANES_WAYS_H

#include "sample.h"

/* `steps` times LANES_STEP words. */
typedef void lanes_way(struct sampler *sampler, uint64_t threshold, uint64_t *out, size_t steps);

enum { LANES_BASE, LANES_AVX512, LANES_WAYS };

/* NULL: the compiler or this processor has no such instructions. */
lanes_way *lanes_find(int way);

/* What the processor has is lanes_find's question. */
lanes_way *lanes_with_avx512(void);

#endif
