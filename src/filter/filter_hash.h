/* SPDX-License-Identifier: MIT */
/* The hash of one key, with the constants that the handle keeps for it: for calls one by one. */
#ifndef UF_FILTER_HASH_H
#define UF_FILTER_HASH_H

#include "ops.h"
#include "string_inline.h"

static inline struct hash128 filter_hash(const uf_filter *filter, uf_key key)
{
    if (filter->hasher.kind != HASH_XXH3)
        return hash_any(&filter->hasher, key);
    return key.size == 8 ? word_hash(&filter->word, key.data) : string_hash(&filter->string, key);
}

#endif
