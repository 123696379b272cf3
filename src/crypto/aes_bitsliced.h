/* SPDX-License-Identifier: MIT */
/*
 * AES-128 for keys that are secret, where there are no instructions for it: without tables, so that neither a branch
 * nor an address depends on the key or the data. Four blocks are computed together, cut into bits: word j of the state
 * has bit j of all 64 bytes,
 *
 *     bit 16 b + i of word j = bit j of byte i of block b
 *
 * SubBytes is then arithmetic in GF(2^8): the inverse is x^254, four multiplications and squarings.
 *
 * Bitslicing: Biham, "A fast new DES implementation in software", FSE 1997. The chain for x^254: Rivain and Prouff,
 * "Provably secure higher-order masking of AES", CHES 2010.
 */
#ifndef UF_AES_BITSLICED_H
#define UF_AES_BITSLICED_H

#include "prf.h"

enum { BITSLICED_BLOCKS = 4 };

/* Round keys as bytes, as FIPS 197 has them. */
void bitsliced_expand(const unsigned char secret[16], unsigned char round[AES_ROUNDS + 1][16]);

/* The same cut into bits: eight patterns of 16 bits a round, little-endian. `round` is replaced. */
void bitsliced_slice(unsigned char round[AES_ROUNDS + 1][16]);

/* Four blocks in place, with sliced round keys. */
void bitsliced_encrypt(const unsigned char sliced[AES_ROUNDS + 1][16], struct hash128 block[BITSLICED_BLOCKS]);

#endif
