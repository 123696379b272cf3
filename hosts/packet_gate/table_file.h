/* SPDX-License-Identifier: MIT */
/*
 * The table of sources as a file: "PGTABLE1", the digest of the patterns (16 bytes), the packet clock (4), the number
 * of entries (8), then of each its address (16), state (4), last packet (4), strikes (1) and whether it was added
 * itself (1), and at the end a BLAKE2b hash (32) of all that. Numbers have their lowest byte first.
 */
#ifndef GATE_TABLE_FILE_H
#define GATE_TABLE_FILE_H

#include "gate.h"

/* Replaces `path` atomically. Non-zero, and said on stderr, when it cannot. */
int table_save(const struct gate *gate, const uint8_t digest[PATTERNS_DIGEST], const char *path);

/* Puts the entries into the gate's table. States of other patterns begin anew; and when the good filter was not loaded,
 * nobody is in it. Non-zero, and said on stderr, when the file is damaged; a file that does not exist is none. */
int table_load(struct gate *gate, const uint8_t digest[PATTERNS_DIGEST], const char *path);

#endif
