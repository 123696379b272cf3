/* SPDX-License-Identifier: MIT */
/* Checksum of file bytes: XXH3-64. It notices damage, not forgery. */
#ifndef UF_CHECKSUM_H
#define UF_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* `salt` is the chunk number, so that chunks that swap places are noticed. */
typedef uint64_t checksum_way(const void *data, size_t bytes, uint64_t salt);

checksum_way checksum;

/* Copies, and returns the checksum of what was copied: in one pass, where that is faster. checksum_neon.c */
uint64_t checksum_copy(void *to, const void *from, size_t bytes, uint64_t salt);

/* The ways to compute it, each faster than the one before; they give the same number. */
enum { CHECKSUM_BASE, CHECKSUM_NEON, CHECKSUM_AVX2, CHECKSUM_AVX512, CHECKSUM_WAYS };

/* NULL: the compiler or this processor has no such instructions. */
checksum_way *checksum_find(int way);

/* One file each; what the processor has is checksum_find's question. NULL: the compiler has no such instructions. */
checksum_way *checksum_with_neon(void);
checksum_way *checksum_with_avx2(void);
checksum_way *checksum_with_avx512(void);

#endif
