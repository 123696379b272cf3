/* SPDX-License-Identifier: MIT */
/*
 * Filter files of what a fuzzer gives, with checksums that fit:
 *
 *     u16 bytes of the header · so many, from byte 8 on · the payload
 *
 * Sizes that follow from the input are put into the header unless `how` says otherwise, and so are all checksums.
 */
#ifndef UF_SEALED_H
#define UF_SEALED_H

#include "fuzz.h"

enum { SEALED_MOST = 1 << 18 };

/* Compact values; sizes as they are given; so is the length of the description. */
enum sealed_how { SEALED_COMPACT = 1, SEALED_SIZES = 2, SEALED_NODES = 4 };

struct sealed {
    unsigned char *data; /* owned; of exactly its size, aligned as a view needs it */
    size_t size;
    int plain; /* it has nothing that a reader may ignore */
};

struct sealed sealed_filter(struct tape *tape, unsigned how);

/* How many bytes of an input are numbers, when such a file begins at `from` (fuzz_head_of). */
size_t sealed_head(const uint8_t *data, size_t size, size_t from);

/* A little-endian number. */
void sealed_put(unsigned char *at, uint64_t value, unsigned bytes);

#endif
