/* SPDX-License-Identifier: MIT */
/* Keys of statistical tests: numbers of 8 bytes, the same on every machine. Members count from 0, strangers from 2^40.
 */
#ifndef UF_TEST_NUMBERS_H
#define UF_TEST_NUMBERS_H

#include <stdio.h>
#include <stdlib.h>

#include "ultrafilter.h"

static const uint64_t strangers = UINT64_C(1) << 40;

/* Ends the program when something that must work did not. */
static inline void need(int status, const char *what, const uf_error *why)
{
    if (status == UF_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, why->text);
    exit(1);
}

/* The next numbers, as bytes. */
static inline void number(unsigned char *keys, uint64_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned j = 0; j < 8; j++)
            keys[8 * i + j] = (unsigned char)((first + i) >> 8 * j);
}

#endif
