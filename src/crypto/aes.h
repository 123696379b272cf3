/* SPDX-License-Identifier: MIT */
/*
 * AES of blocks, as a function of 128 bits, in one of two ways that give the same bytes: with the processor's
 * instructions (aes_inline.h), and without tables where there are none (aes_bitsliced.h). Neither has a branch or an
 * address that depends on the key or the data.
 *
 * A block is the 16 bytes of lo, then of hi, each little-endian.
 */
#ifndef UF_AES_H
#define UF_AES_H

#include "hash128.h"

enum { AES_ROUNDS = 10, AES256_ROUNDS = 14 };

enum aes_way { AES_BITSLICED, AES_INSTRUCTIONS };

/* Round keys in the shape that one of the ways reads. */
struct aes_key {
    _Alignas(16) unsigned char round[AES_ROUNDS + 1][16];
};

struct aes256_key {
    _Alignas(16) unsigned char round[AES256_ROUNDS + 1][16];
};

void aes_expand(const uint64_t key[2], enum aes_way way, struct aes_key *out);
void aes256_expand(const unsigned char key[32], enum aes_way way, struct aes256_key *out);

/* AES_INSTRUCTIONS when aes_block of aes_inline.h can run here. */
enum aes_way aes_best(void);

#endif
