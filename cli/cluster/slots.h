/* SPDX-License-Identifier: MIT */
/*
 * Where keys belong in a cluster of Redis: a key has the slot CRC16(tag) mod 16384, of which its tag is what stands
 * between its first { and the } behind it, or all of it. And the keys of our parts (docs/partitions.md#in-a-cluster):
 *
 *     part i of N of the filter NAME has the key {NAME/i/j}, with the smallest j from 0 whose slot is in the i-th N-th
 *     of the slots: floor(slot N / 16384) = i
 *
 * Masters with equally many slots, each in one piece, so have equally many parts.
 */
#ifndef CLI_SLOTS_H
#define CLI_SLOTS_H

#include <stddef.h>
#include <stdint.h>

enum { SLOTS = 16384 };

/* CRC16 of XMODEM: polynomial 0x1021, start 0. */
uint16_t crc16(const void *data, size_t bytes);

unsigned slot_of_key(const char *key, size_t bytes);

/* Notes who has the slots from the first to the last, which there must be. */
void slots_fill(short owner[SLOTS], unsigned first, unsigned last, short node);

/* A filter's name without braces, so that the tag of a key is what it seems, and short. */
enum { MOST_NAME = 200, PART_KEY = MOST_NAME + 32 };

struct part_key {
    char text[PART_KEY];
    unsigned slot;
};

/* N is SLOTS at most. */
struct part_key part_key(const char *name, unsigned part, unsigned parts);

#endif
