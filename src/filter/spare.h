/* SPDX-License-Identifier: MIT */
/* Taking of what is spare (ops.h), for the kinds' inserts: alone, or among other threads. */
#ifndef UF_SPARE_H
#define UF_SPARE_H

#include "ops.h"

/* Takes so much, or nothing when that is too much. */
static inline int spare_less(uint64_t *from, uint64_t amount)
{
    uint64_t old = __atomic_load_n(from, __ATOMIC_RELAXED);
    do
        if (old < amount)
            return 0;
    while (!__atomic_compare_exchange_n(from, &old, old - amount, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return 1;
}

/* One key that raises the measure by `growth`. Returns 0 when there is nothing spare for it. */
static inline int spare_take(struct spare *spare, uint64_t growth, int among_others)
{
    if (among_others) {
        if (!spare_less(&spare->keys, 1))
            return 0;
        if (spare_less(&spare->measure, growth))
            return 1;
        __atomic_fetch_add(&spare->keys, 1, __ATOMIC_RELAXED);
        return 0;
    }
    if (!spare->keys || growth > spare->measure)
        return 0;
    spare->keys--;
    spare->measure -= growth;
    return 1;
}

/* Among others: what a key did not need after all, since they came first. */
static inline void spare_return(struct spare *spare, uint64_t keys, uint64_t growth)
{
    if (growth)
        __atomic_fetch_add(&spare->measure, growth, __ATOMIC_RELAXED);
    if (keys)
        __atomic_fetch_add(&spare->keys, keys, __ATOMIC_RELAXED);
}

#endif
