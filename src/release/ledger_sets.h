/* SPDX-License-Identifier: MIT */
/*
 * The data sets of a ledger by name: an array in the order of their budgets, and a hash table over it, so that reading
 * a ledger takes time in proportion to its size. Names are where the ledger has them. The hash has a seed that depends
 * on the whole ledger: whoever writes one cannot make names that collide in it.
 */
#ifndef UF_LEDGER_SETS_H
#define UF_LEDGER_SETS_H

#include "mem.h"
#include "ultrafilter.h"

struct data_set {
    const char *name; /* borrowed, and not the whole of its line */
    size_t length;
    uf_ledger_state state;
};

struct data_sets {
    struct data_set *set; /* owned, `capacity` of them */
    uint32_t *slot;       /* owned, `mask` + 1 of them: the number of a set and 1, or 0 */
    size_t count, capacity, mask;
    uint64_t seed;
    uint64_t looked; /* slots that were looked at: the work done, for tests */
};

/* Room for `capacity` sets. 0: no memory. */
int sets_start(struct data_sets *sets, const struct mem *mem, size_t capacity, uint64_t seed);
void sets_free(struct data_sets *sets, const struct mem *mem);
void sets_clear(struct data_sets *sets); /* the room stays */

/* NULL when there is none of this name. */
struct data_set *sets_find(struct data_sets *sets, const char *name, size_t length);

/* One that is not there yet, within the capacity. */
struct data_set *sets_add(struct data_sets *sets, const char *name, size_t length, double budget);

#endif
