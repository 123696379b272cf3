/* SPDX-License-Identifier: MIT */
/* The keys of a set, in batches and in the order of their ranks. */
#ifndef UF_SET_KEYS_H
#define UF_SET_KEYS_H

#include "set.h"

/* `take` returns a status; the first that is not UF_OK ends the walk. */
int set_walk_keys(const uf_set *set, unsigned threads, const uf_context *ctx,
                  int (*take)(void *arg, const uf_key *keys, size_t count), void *arg);

#endif
