/* SPDX-License-Identifier: MIT */
/* Hashes with scores, kept until all keys are known. */
#ifndef UF_SCORED_H
#define UF_SCORED_H

#include "hash.h"
#include "mem.h"

struct hash_runs;

struct scored {
    struct hash128 hash;
    int64_t score;
};

enum { SCORED_CAPACITY = 4096 };

struct scored_piece {
    struct scored_piece *next;
    size_t used;
    struct scored item[SCORED_CAPACITY];
};

struct scored_list {
    const struct mem *mem; /* borrowed */
    struct scored_piece *pieces;
    uint64_t count;
};

int scored_add(struct scored_list *list, const struct scored *items, size_t count);
void scored_free(struct scored_list *list);

/* Moves everything of `from` into `into`, or copies it when they use other memory. UF_ENOMEM: both are as they were. */
int scored_take(struct scored_list *into, struct scored_list *from);

/* All scores, into room for them. */
void scored_scores(const struct scored_list *list, int64_t *out);

/* The hashes with scores from `low` to `high`, both included, changed by `change` when it is not NULL. */
struct scored_range {
    int64_t low, high;
    struct hash128 (*change)(const void *arg, struct hash128 hash);
    const void *arg;
};
int scored_select(const struct scored_list *list, const struct scored_range *range, struct hash_runs *out);

#endif
