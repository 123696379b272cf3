/* SPDX-License-Identifier: MIT */
/* Repeatable numbers for tests (splitmix64): a state, given by the test, makes the same numbers everywhere. */
#ifndef UF_TEST_RANDOM_H
#define UF_TEST_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t random_below(uint64_t *state, uint64_t bound)
{
    return next_random(state) % bound;
}

/* For uf_context.random, with a state as its argument. */
static inline int random_bytes(void *state, void *out, size_t bytes)
{
    unsigned char *at = out;
    for (uint64_t word = 0; bytes--; word >>= 8, at++) {
        if ((size_t)(at - (unsigned char *)out) % 8 == 0)
            word = next_random(state);
        *at = (unsigned char)word;
    }
    return 0;
}

#endif
