/* SPDX-License-Identifier: MIT */
/* Strings hashed many at a time with XXH3-128, where the machine has instructions for that. */
#ifndef UF_HASH_STRINGS_H
#define UF_HASH_STRINGS_H

#include "hash.h"

/* in_row: the keys lie behind each other. */
typedef void strings_way(const struct hasher *hasher, const uf_key *keys, size_t count, int in_row,
                         struct hash128 *out);

/* NULL: the compiler or this processor has no such instructions. */
strings_way *strings_find(void);

/* What the processor has is strings_find's question. */
strings_way *strings_with_avx512(void);

#endif
