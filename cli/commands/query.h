/* SPDX-License-Identifier: MIT */
/* What the files of `query` share. */
#ifndef CLI_QUERY_H
#define CLI_QUERY_H

#include "keys.h"
#include "ultrafilter.h"

/* One of the filters that are asked. */
struct asked {
    const char *path; /* as it was given: its name in what is printed */
    uf_filter *filter;
    struct keys_format format; /* how its keys are normalised */
    uint64_t found;            /* keys, by all threads; of several filters */
};

struct query {
    struct asked *filters;
    size_t count;
    uint8_t selected; /* the answer that is wanted */
    bool print, first_is_enough;
    bool answers; /* print all keys, each with its answers */
};

/* Works on a block for several filters, or for answers. */
enum keys_verdict query_each(void *query, struct keys_block *block);

#endif
