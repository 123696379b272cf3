/* SPDX-License-Identifier: MIT */
/*
 * Hashes kept until all keys are known: 16 bytes each, grouped by the top byte of `hi`, so that what is built from one
 * group stays in cache. Memory comes in arenas of 2 MiB, the first one smaller, cut into pieces that each belong to one
 * group.
 */
#ifndef UF_RUNS_H
#define UF_RUNS_H

#include "hash128.h"
#include "mem.h"

enum { RUN_GROUPS = 256 };

struct run_piece {
    struct run_piece *next;
    uint32_t used, capacity;
    struct hash128 hash[];
};

struct run_arena;

struct hash_runs {
    const struct mem *mem;
    struct run_arena *arenas;
    struct run_piece *group[RUN_GROUPS]; /* in the order they came */
    struct run_piece *last[RUN_GROUPS];
    uint64_t count[RUN_GROUPS];
};

int runs_add(struct hash_runs *runs, const struct hash128 *hashes, size_t count);

/* Moves everything of `from` into `into`; they must use the same memory. */
void runs_join(struct hash_runs *into, struct hash_runs *from);

/* The same whatever memory they use: copies what cannot be moved, and then `from` is as it was. UF_ENOMEM: so are both.
 */
int runs_take(struct hash_runs *into, struct hash_runs *from);

/* Replaces every hash by what `mix` makes of it, and groups them anew, in one order whatever the number of threads.
 * Needs no more memory than they take, and some arenas for each thread. UF_ENOMEM: some are lost, and `runs` is only
 * good for runs_free. */
typedef void runs_mixer(void *arg, struct hash128 *hashes, size_t count);
int runs_mix(struct hash_runs *runs, unsigned threads, runs_mixer *mix, void *arg);

uint64_t runs_total(const struct hash_runs *runs);
void runs_free(struct hash_runs *runs);

#endif
