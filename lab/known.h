/* SPDX-License-Identifier: MIT */
/*
 * Which keys are known: those of a set, or those that were asked for. Kept as hashes of 128 bits, so that a million
 * keys take 32 MB whatever their length; that two of them share one does not happen.
 */
#ifndef LAB_KNOWN_H
#define LAB_KNOWN_H

#include "ultrafilter.h"

struct known_entry {
    uint64_t lo, hi; /* both 0: empty */
};

struct known {
    struct known_entry *entry; /* owned; a power of two of them, or NULL */
    size_t room, count;
};

int known_has(const struct known *known, uf_key key);

/* 1: it is new and was added; 0: it was there; -1: there is no memory. */
int known_add(struct known *known, uf_key key);

/* Forgets all of them, and keeps the memory. */
void known_clear(struct known *known);
void known_free(struct known *known);

#endif
