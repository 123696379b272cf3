/* SPDX-License-Identifier: MIT */
/*
 * AES where there are no instructions for it: without tables, so that neither a branch nor an address depends on
 * the key or the data. Eight blocks are computed together, cut into bits: word j of the state has bit j of all 128
 * bytes, in two lanes of four blocks,
 *
 *     bit 16 b + i of word j = bit j of byte i of block b
 *
 * SubBytes is then a circuit. One block costs as much as eight.
 *
 * Bitslicing: Biham, "A fast new DES implementation in software", FSE 1997. The circuit: Boyar and Peralta, "A small
 * depth-16 circuit for the AES S-box", SEC 2012.
 */
#ifndef UF_AES_BITSLICED_H
#define UF_AES_BITSLICED_H

#include <stddef.h>

#include "aes.h"

enum { BITSLICED_BLOCKS = 8 };

/* rounds: AES_ROUNDS with a secret of 16 bytes, AES256_ROUNDS with one of 32. There are `rounds` + 1 round keys. */

/* Round keys as bytes, as FIPS 197 has them. */
void bitsliced_expand(const unsigned char *secret, unsigned rounds, unsigned char (*round)[16]);

/* The same cut into bits: eight patterns of 16 bits a round, little-endian. `round` is replaced. */
void bitsliced_slice(unsigned rounds, unsigned char (*round)[16]);

/* Eight blocks in place, with sliced round keys. */
void bitsliced_encrypt(const unsigned char (*sliced)[16], unsigned rounds, struct hash128 block[BITSLICED_BLOCKS]);

/* Any number of them, AES-128; and back. */
void bitsliced_encrypt_many(const struct aes_key *sliced, struct hash128 *block, size_t count);
void bitsliced_decrypt_many(const struct aes_key *sliced, struct hash128 *block, size_t count);

#endif
