/* SPDX-License-Identifier: MIT */
/*
 * Which keys are known: those of a set, or those that were asked for. Kept as hashes of 128 bits, so that a million
 * keys take 32 MB whatever their length; that two of them share one does not happen.
 */
#ifndef LAB_KEY_SET_H
#define LAB_KEY_SET_H

#include "ultrafilter.h"

struct key_set_entry {
    uint64_t lo, hi; /* both 0: empty */
};

struct key_set {
    struct key_set_entry *entry; /* owned; a power of two of them, or NULL */
    size_t capacity, count;
};

int key_set_has(const struct key_set *set, uf_key key);

/* 1: it is new and was added; 0: it was there; -1: there is no memory. */
int key_set_add(struct key_set *set, uf_key key);

/* Forgets all of them, and keeps the memory. */
void key_set_clear(struct key_set *set);
void key_set_free(struct key_set *set);

#endif
