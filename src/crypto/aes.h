/* SPDX-License-Identifier: MIT */
/*
 * AES-128 of one block, as a function of 128 bits: fast where the processor has instructions for it, the same bytes
 * everywhere. For keys that are public (the rows of dpset): the portable version looks up tables.
 *
 * A block is the 16 bytes of lo, then of hi, each little-endian.
 */
#ifndef UF_AES_H
#define UF_AES_H

#include "hash.h"

struct aes_key {
    _Alignas(16) unsigned char round[11][16];
};

void aes_expand(const uint64_t key[2], struct aes_key *out);
struct hash128 aes_block_portable(const struct aes_key *key, struct hash128 in);

/* Can aes_block of aes_inline.h run here? */
int aes_in_hardware(void);

#endif
