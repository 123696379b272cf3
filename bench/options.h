/* SPDX-License-Identifier: MIT */
/* The command line of uf_bench. */
#ifndef UF_BENCH_OPTIONS_H
#define UF_BENCH_OPTIONS_H

#include "peer.h"

#include <stddef.h>
#include <stdint.h>

enum { OPTION_LIST = 32 };

struct number_list {
    uint64_t at[OPTION_LIST];
    size_t count;
};

struct options {
    int full;
    int trimmed; /* the sizes are ours: leave out what takes long and shows little */
    struct number_list sizes;
    struct number_list key_bytes;
    struct number_list threads;
    const char *kinds; /* comma-separated kinds and names; NULL: all */
    double fpr;
    const char *json; /* files to write; NULL: none */
    const char *svg;
    const char *chart;
};

/* Ends the program after --help (0) and after a mistake (2), which it explains. */
void options_parse(struct options *out, int argc, char **argv);

/* Whether --kinds lets this peer through: by kind, by name, or "name/kind" for exactly one. */
int options_want(const struct options *options, const struct peer *peer);

#endif
