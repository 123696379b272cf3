/* SPDX-License-Identifier: MIT */
/*
 * MurmurHash64A, from its public description, and how to undo it. For the lab only: it shows what happens to filters
 * that are built on a hash which anyone can compute and invert.
 *
 *     h = seed ^ size * M;  for each 8 bytes w:  h = (h ^ mix(w)) * M;  the tail likewise;  h = finish(h)
 *
 * mix and finish multiply by the odd constant M and xor the upper bits into the lower ones: both have an inverse.
 * RedisBloom takes two hashes of an item, a under a public seed and b under the seed a, and its bits are (a + i b) mod
 * m. So whoever finds an item with b = 0 has an item whose k bits are one and the same.
 */
#ifndef LAB_MURMUR_H
#define LAB_MURMUR_H

#include <stddef.h>
#include <stdint.h>

#include "item.h"
#include "stream.h"

/* RedisBloom's seed of the first hash; the constant M, as it happens. */
#define MURMUR_PUBLIC_SEED UINT64_C(0xc6a4a7935bd1e995)

uint64_t murmur64(const void *data, size_t bytes, uint64_t seed);

/*
 * Items with hashes of one's choice: a under the public seed, b under the seed a. For most pairs there is none, for one
 * in about 1,000 there are about 1,000; so whoever needs one pair in particular is out of luck, and whoever needs
 * b = 0 and any a, or any a of a residue class, has as many as they like at about 0.4 ms for each a.
 * Writes up to `capacity` of them and returns how many; *steps is increased by the work done.
 */
size_t murmur_craft(uint64_t a, uint64_t b, struct item *out, size_t capacity, uint64_t *steps);

/* The same for one b and any a that is `residue` modulo `modulus`: tries until there is at least one. */
size_t murmur_craft_any(uint64_t residue, uint64_t modulus, uint64_t b, struct stream *stream, struct item *out,
                        size_t capacity, uint64_t *steps);

#endif
