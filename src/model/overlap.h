/* SPDX-License-Identifier: MIT */
/*
 * Which keys of a list are in another one, or came before: 64-bit hashes of keys in an open table, at most half full.
 * Another key is taken for one of n keys with a chance of n / 2^64.
 */
#ifndef UF_OVERLAP_H
#define UF_OVERLAP_H

#include "mem.h"

struct overlap {
    struct mem mem;
    uint64_t *slot; /* owned; 0 is empty */
    size_t slots;   /* a power of two */
};

int overlap_make(const struct mem *mem, const uf_key *keys, size_t count, struct overlap *out);
int overlap_has(const struct overlap *overlap, uf_key key);
int overlap_add_key(struct overlap *overlap, uf_key key); /* 1 when it is new; where overlap_new left room for it */
void overlap_free(struct overlap *overlap);

/* The same with hashes from elsewhere: room for so many, then one by one. */
int overlap_new(const struct mem *mem, uint64_t count, struct overlap *out);
int overlap_add(struct overlap *overlap, uint64_t hash); /* 1 when it is new */
int overlap_holds(const struct overlap *overlap, uint64_t hash);

#endif
