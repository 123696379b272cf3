/* SPDX-License-Identifier: MIT */
/*
 * Sets of ranks of a universe, and released sets.
 *
 * A plain set is its members: an array of ranks, 8 bytes each, sorted when it is first read. A released set is the
 * members again and the coins of all ranks (coins.h), which are a seed of 32 bytes:
 *
 *     dime     rank is in  <=>  member xor coin          nickel   rank is in  <=>  member or coin
 *
 * Its elements are made anew on every pass. That is the one way there is, for small sets too: a release of all IPv4
 * addresses at epsilon 1 has 1.2 * 10^9 elements, which nobody wants in memory, and a pass costs less than hashing what
 * it finds. Members and seed never leave the set, and are wiped with it.
 */
#ifndef UF_SET_H
#define UF_SET_H

#include <pthread.h>

#include "coins.h"
#include "mark.h"
#include "universe.h"

struct uf_set {
    struct mem mem;
    const uf_universe *universe; /* borrowed */
    pthread_mutex_t lock;        /* of sorting: readers may be many */
    uint64_t *rank;              /* the members */
    size_t capacity, used;
    size_t sorted;            /* of those used, the first so many are in order and each once */
    struct release_mark mark; /* RELEASE_NONE: a plain set */
    struct coins coins;       /* of a released set */
    uint64_t count;           /* likewise: its elements */
    int test_random;          /* likewise: the coins came from the context's own randomness */
};

int set_new(const uf_universe *universe, const struct mem *mem, uf_set **out, uf_error *why);
void set_free(uf_set *set);

/* All keys, or none and an error that names the first one outside the universe. */
int set_add(uf_set *set, const uf_key *keys, size_t count, uf_error *why);

/* The members, in order, each once. They are those of a plain set, and the secret of a released one. */
const uint64_t *set_members(const uf_set *set, size_t *count);

uint64_t set_count(const uf_set *set);

/* 1 or 0, or a status (negative). Of a released set this makes the coins of one chunk anew: up to a millisecond. */
int set_has(const uf_set *set, uint64_t rank);

/*
 * Hands out the elements in batches of ranks: in order with one thread; with more, in order within a batch, and `take`
 * is called from any of them. Tells ctx->progress how many chunks of a released set were done. A status of `take` that
 * is not UF_OK ends the walk and is returned.
 */
enum { SET_BATCH = 256 };
typedef int set_take(void *arg, const uint64_t *ranks, size_t count);
int set_walk(const uf_set *set, unsigned threads, const uf_context *ctx, set_take *take, void *arg);

/* `how` is "dime:epsilon=3" or "nickel:epsilon=3" (mechanism.h). */
int set_release(const uf_set *set, const char *how, const uf_context *ctx, uf_set **out, uf_error *why);

#endif
