/* SPDX-License-Identifier: MIT */
/* What a uf_builder is, for the files of this folder. */
#ifndef UF_BUILDER_H
#define UF_BUILDER_H

#include "filter.h"

struct uf_builder {
    struct mem mem;
    uf_context ctx;
    const struct filter_ops *ops;
    struct spec want; /* with the seed that was drawn, where the kind has one */
    struct hasher hasher;
    const struct builder_ops *way;
    void *state; /* owned: of the way */
    int finished;
    int counted; /* the spec has no size: n will be the number of keys */
};

/* UF_EMISMATCH when the specs of two builders differ, and says in what. Numbers may be spelled differently. */
int specs_compare(const struct spec *a, const struct spec *b, uf_error *why);

#endif
