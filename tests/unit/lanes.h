/* SPDX-License-Identifier: MIT */
/* What is compiled for AVX-512 of test_lanes.c, which asks the machine first. */
#ifndef UF_TEST_LANES_H
#define UF_TEST_LANES_H

#include "hash128.h"

/* 0: it was not compiled for AVX-512, and did nothing. */
int lanes_hash(const uint64_t words[8], uint64_t seed, struct hash128 out[8]);
int lanes_mul_high(const uint64_t words[8], uint64_t factor, int half, uint64_t out[8]);
int lanes_load(const void *at, unsigned left, uint64_t out[8]);

#endif
