/* SPDX-License-Identifier: MIT */
/* Lists of keys from text files, one key a line: the data of the benchmark of learned filters. */
#ifndef UF_BENCH_LISTS_H
#define UF_BENCH_LISTS_H

#include "ultrafilter.h"

struct list {
    char *text; /* the whole file */
    uf_key *keys;
    size_t count;
};

/* A folder: members in `pos`, keys that are none in `neg_train`, `neg_valid` and `neg_test`. */
struct lists {
    const char *name;
    struct list members, train, valid, test;
};

/* 0, or -1 with the reason on stderr. */
int lists_load(struct lists *out, const char *name, const char *folder);
void lists_free(struct lists *lists);

#endif
