/* SPDX-License-Identifier: MIT */
/* What the files of `publish` share. */
#ifndef CLI_PUBLISH_H
#define CLI_PUBLISH_H

#include "args.h"
#include "ultrafilter.h"

struct publish {
    const struct args *args;
    uf_context context;
    int exact;            /* the operand is a filter, not keys */
    const char *universe; /* --universe; NULL: not given */
    double epsilon;
    double count_cost; /* of a noisy count; 0: the capacity was declared */
};

/* A filter of a released set. */
int publish_set(const struct publish *job, const char *mechanism, uf_filter **out);

#endif
