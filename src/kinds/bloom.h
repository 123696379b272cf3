/* SPDX-License-Identifier: MIT */
/* bloom's batched loops on some processors: bloom.c has those that run everywhere, which say the same. */
#ifndef UF_BLOOM_H
#define UF_BLOOM_H

#include "bitarray.h"
#include "partitions.h"

/* As in struct filter_calls. NULL: this machine's compiler has no such instructions. */
struct bloom_calls {
    void (*query_many)(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers);
    void (*add_many)(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict);
};

extern const struct bloom_calls bloom_avx2, bloom_avx512;

/* Whether fetching ahead pays: the array is larger than a second cache level. */
INLINE int bloom_is_far(const struct uf_filter *filter)
{
    return filter->word_count > (size_t)1 << 17;
}

#endif
