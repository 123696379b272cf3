/* SPDX-License-Identifier: MIT */
/* Sets of keys for tests. Two sets with different names have no key in common. */
#ifndef UF_TEST_KEYS_H
#define UF_TEST_KEYS_H

#include "ultrafilter.h"

struct keys {
    uf_key *key; /* owned; free with keys_free */
    size_t count;
    char *text; /* owned: what the keys point into */
};

/* "name-0", "name-1", ... */
struct keys keys_make(const char *name, size_t count);
void keys_free(struct keys *keys);

/* How many of the keys a filter says yes to. */
size_t keys_found(const uf_filter *filter, const struct keys *keys);

#endif
