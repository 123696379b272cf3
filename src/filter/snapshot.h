/* SPDX-License-Identifier: MIT */
/*
 * A filter as it is at one time, for calls that read all of it while threads may be inserting (UF_KNOB_SHARED). It has
 * every key whose insert had returned before; of keys that come meanwhile it may have some, and of some a part of their
 * bits, which answers to none.
 */
#ifndef UF_SNAPSHOT_H
#define UF_SNAPSHOT_H

#include "filter.h"

struct snapshot {
    const uf_filter *filter; /* to be read */
    uf_filter *copy;         /* owned; NULL when nobody shares the filter, which is then read itself */
};

/* UF_ENOMEM when there is none for a copy. */
int snapshot_take(const uf_filter *filter, struct snapshot *out, uf_error *why);
void snapshot_drop(struct snapshot *snapshot);

#endif
