/* SPDX-License-Identifier: MIT */
/*
 * The keystream of AES-256 in counter mode (NIST SP 800-38A): block i is the encryption of i, 16 bytes, highest first.
 * It allocates nothing, so it cannot fail.
 */
#ifndef UF_CTR_H
#define UF_CTR_H

#include <stddef.h>

#include "aes.h"

/* Blocks `first` to first + count - 1 of the keystream. */
typedef void ctr_blocks(const struct aes256_key *key, uint64_t first, unsigned char (*out)[16], size_t count);

struct ctr {
    ctr_blocks *blocks;
    struct aes256_key key;
    uint64_t next; /* block */
    unsigned char rest[16];
    unsigned left; /* bytes at the end of `rest` that were not handed out */
};

/* In the best way that the machine has. Whoever has one wipes it. */
void ctr_start(struct ctr *ctr, const unsigned char key[32]);

/* The next bytes, in pieces of any size. */
void ctr_bytes(struct ctr *ctr, void *out, size_t bytes);

/* The ways, each faster than the one before; they give the same bytes. */
enum { CTR_BITSLICED, CTR_AES, CTR_VAES, CTR_WAYS };

/* NULL: the compiler or this processor has no such instructions. */
ctr_blocks *ctr_find(int way);

/* The shape of the round keys that a way reads. */
static inline enum aes_way ctr_keys(int way)
{
    return way == CTR_BITSLICED ? AES_BITSLICED : AES_INSTRUCTIONS;
}

/* One file each; what the processor has is ctr_find's question. NULL: the compiler has no such instructions. */
ctr_blocks ctr_bitsliced;
ctr_blocks *ctr_with_aes(void);
ctr_blocks *ctr_with_vaes(void);

#endif
