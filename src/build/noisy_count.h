/* SPDX-License-Identifier: MIT */
/* A count of keys with the noise of privacy/count.h. */
#ifndef UF_NOISY_COUNT_H
#define UF_NOISY_COUNT_H

#include "sample.h"

/* threshold: erase_threshold(epsilon). */
uint64_t count_noisy(struct sampler *sampler, uint64_t threshold, uint64_t count);

#endif
