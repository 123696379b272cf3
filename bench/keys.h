/* SPDX-License-Identifier: MIT */
/* The workload: distinct keys of one width, back to back in memory. */
#ifndef UF_BENCH_KEYS_H
#define UF_BENCH_KEYS_H

#include "pages.h"

#include <stddef.h>
#include <stdint.h>

struct keys {
    unsigned char *at; /* count keys of `width` bytes */
    uint64_t count;
    size_t width;
    struct pages pages;
};

enum { KEYS_TEXT_MIN = 16, KEYS_WIDTH_MAX = 4096 };

/* Keys number first .. first+count-1 of one endless list, so disjoint ranges share no key. A width of 8 gives 64-bit
 * integers that look random, 16 and more gives text. 0, or -1 when there is no memory. */
int keys_make(struct keys *out, uint64_t first, uint64_t count, size_t width);
void keys_free(struct keys *keys);

#endif
