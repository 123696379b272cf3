/* SPDX-License-Identifier: MIT */
/*
 * The sources of a generated capture and what they send. The truth is known by construction: background bytes are below
 * 128 and those of patterns are not, and after each sequence, whole or broken off, comes a background byte. All
 * patterns have one length; or, of several lengths, they begin with a byte of 192 to 223, end with one of 224 to 255
 * and have none of these between, so that none is part of another. So a pattern is in a source's bytes exactly where it
 * was inserted.
 */
#ifndef GATE_ACTORS_H
#define GATE_ACTORS_H

#include <stddef.h>

#include "gate.h"

enum { ACTORS_STRIKES = 3 };

struct actors_options {
    uint64_t sources;
    double attack, listed, ipv6; /* shares of the sources */
    uint64_t patterns;           /* how many */
    uint64_t shortest, longest;  /* of how many bytes */
    uint64_t spread;             /* a sequence is cut into about this many pieces, one a packet */
    uint64_t seed;
};

struct actors;

/* NULL when memory is short. Give back with actors_free. */
struct actors *actors_new(const struct actors_options *options);
void actors_free(struct actors *actors); /* NULL is fine */

/* The address of a source; numbers from `sources` up are strangers that never send anything. */
struct address actors_address(const struct actors *actors, uint64_t index);
int actors_listed(const struct actors *actors, uint64_t index);
const uint8_t *actors_pattern(const struct actors *actors, uint64_t index, size_t *size);

/* A source chosen at random. */
uint64_t actors_choose(struct actors *actors);

/* The next payload of a source, of `least` to `most` bytes; fewer when a sequence is to go on in its next packet,
 * unless `least` is `most`. Returns its size. */
size_t actors_speak(struct actors *actors, uint64_t index, uint8_t *out, size_t least, size_t most);

/* What a gate that makes no mistakes says of it now. */
enum verdict actors_truth(const struct actors *actors, uint64_t index);

#endif
