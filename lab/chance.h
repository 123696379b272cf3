/* SPDX-License-Identifier: MIT */
/*
 * Randomness of experiments: the system's, or repeatable from a number that the experimenter gives. The repeatable one
 * is no secret to anyone and fit for nothing else.
 */
#ifndef LAB_CHANCE_H
#define LAB_CHANCE_H

#include <stddef.h>
#include <stdint.h>

struct chance {
    int seeded;
    uint64_t state;
};

/* For uf_context.random, with a struct chance as its argument: 0, or -1 when the system gives none. */
int chance_bytes(void *chance, void *out, size_t bytes);

#endif
