/* SPDX-License-Identifier: MIT */
/*
 * Universes: all keys that a set could have. A universe gives each of its keys a rank, 0 to size - 1, and each rank its
 * key, so that a set of keys is a set of numbers.
 *
 *   range:5-1000       the numbers 5 to 1000 in decimal, no leading zeros; rank 0 is "5"
 *   ipv4:10.0.0.0/8    addresses in dotted form; rank 1 is "10.0.0.1"
 *   digits:10          10 decimal digits, leading zeros included; rank 7 is "0000000007"
 *   a list             the keys in byte order, each once
 *
 * Only the form that a rank prints is the key: "007" is not in range:5-1000.
 */
#ifndef UF_UNIVERSE_H
#define UF_UNIVERSE_H

#include "mem.h"
#include "ultrafilter.h"

enum universe_shape { UNIVERSE_RANGE, UNIVERSE_IPV4, UNIVERSE_DIGITS, UNIVERSE_LIST };

enum { UNIVERSE_KEY = 24 }; /* room for a key that is printed */

/* A listed key. Most comparisons end with the prefix: the first 8 bytes, big-endian, zeros behind a shorter key. */
struct listed {
    uint64_t prefix;
    size_t at; /* in `bytes`: the size_t length, then the key */
};

struct uf_universe {
    struct mem mem;
    enum universe_shape shape;
    uint64_t size;
    uint64_t first; /* RANGE, IPV4: the number of rank 0 */
    unsigned width; /* DIGITS */
    char text[64];  /* how it is written; of a list, how many keys it has */
    struct listed *listed;
    size_t capacity; /* LIST: entries that were allocated */
    unsigned char *bytes;
    size_t byte_count;
};

int universe_parse(const char *text, const struct mem *mem, uf_universe **out, uf_error *why);
int universe_list(const uf_key *keys, size_t count, const struct mem *mem, uf_universe **out, uf_error *why);
void universe_free(uf_universe *universe);

int universe_rank(const uf_universe *universe, uf_key key, uint64_t *rank); /* 1, or 0 when it is outside */

/* The key lives in `buffer`, or in the universe when that is a list. rank < size. */
uf_key universe_key(const uf_universe *universe, uint64_t rank, char buffer[UNIVERSE_KEY]);

/* Of universe_list.c. */
int listed_rank(const uf_universe *universe, uf_key key, uint64_t *rank);
uf_key listed_key(const uf_universe *universe, uint64_t rank);

#endif
