/* SPDX-License-Identifier: MIT */
/*
 * An allocator that keeps accounts: it notices a release with another size than was asked for, memory that comes back
 * unwiped, and what never comes back; and it can refuse one allocation, by its number. Safe to use from many threads.
 */
#ifndef UF_TEST_COUNTING_H
#define UF_TEST_COUNTING_H

#include "ultrafilter.h"

struct counting {
    size_t calls;   /* allocations asked for */
    size_t fail_at; /* the number, from 1, of the one to refuse; 0: none */
    size_t blocks;  /* handed out and not returned */
    size_t live;    /* bytes of those */
    size_t peak;    /* the most that `live` has been */
    size_t largest; /* the largest single one asked for */
    size_t zeroed;  /* allocations that had to be zero, by a context that has alloc_zeroed */
    size_t wrong;   /* releases of something else than was handed out, or of another size */
    size_t unwiped; /* releases of memory that still had something in it */
};

uf_allocator counting_allocator(struct counting *counting);

/* The same with alloc_zeroed. */
uf_allocator counting_zeroing_allocator(struct counting *counting);

/* A context that uses it, otherwise the defaults. */
uf_context counting_context(struct counting *counting);

/* Everything came back, wiped, with the right size. */
int counting_is_clean(const struct counting *counting);

#endif
