/* SPDX-License-Identifier: MIT */
/*
 * Known bad byte sequences, all looked for at once, byte by byte, over as many packets as they are spread over. Any
 * number of them, of any lengths: a filter of bad data says where one may begin, and an exact automaton behind it says
 * whether it does, so that a false positive costs time and never a strike.
 */
#ifndef GATE_PATTERNS_H
#define GATE_PATTERNS_H

#include <stddef.h>
#include <stdint.h>

struct patterns;

/* Bytes of a pattern that the filter knows. */
enum { PATTERNS_WINDOW = 4 };

enum { PATTERNS_DIGEST = 16 };

/*
 * Reads a file of patterns, one a line: hex digits (deadbeef, 0xde ad be ef), bits (0b, a multiple of eight), or text
 * in double quotes. Digits that could be either, 0 and 1 only, need their 0x or 0b. Empty lines and lines that begin
 * with # are skipped. Says what is wrong on stderr and returns NULL when it fails. Give back with patterns_free.
 */
struct patterns *patterns_load(const char *path);

/* The same from memory: `count` patterns of at least one byte. NULL when memory is short, or when all together have
 * 2^32 - 2 bytes or more. */
struct patterns *patterns_new(const uint8_t *const *data, const size_t *sizes, size_t count);

/*
 * Goes on from *state (0 at the start) over `size` bytes and returns how many sequences ended in them. Each time one
 * ends the search starts anew, so no byte is counted twice; that takes the sequence that ends first, which gives the
 * largest number of sequences that do not overlap.
 */
unsigned patterns_scan(const struct patterns *patterns, uint32_t *state, const uint8_t *data, size_t size);

/* 1 for what *state can be between two packets. */
int patterns_has_state(const struct patterns *patterns, uint32_t state);

size_t patterns_count(const struct patterns *patterns);
size_t patterns_bytes(const struct patterns *patterns);        /* memory */
size_t patterns_filter_bytes(const struct patterns *patterns); /* of these, the filter's */

/* The same for the same patterns: states of one run mean the same to another that has it. */
void patterns_digest(const struct patterns *patterns, uint8_t out[PATTERNS_DIGEST]);

void patterns_free(struct patterns *patterns); /* NULL is fine */

#endif
