/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a ledger, in memory. Text, so that people can read it:
 *
 *     ultrafilter-ledger-2
 *     budget patients 3
 *     release patients 0.99999 dpset 2c4f0a... delta=0 date=2026-11-15T17:22:14Z label=spring file=patients.uf
 *     release patients 0.5 ultra 91b7e3... delta=0 date=2026-11-16T08:00:00Z file=small.uf
 *     end 4 8f0c9a1b2d3e4f50
 *
 * A data set has its budget before its first release. The last line has the number of lines before it and their
 * checksum (XXH3-64 of all bytes before that line, seed: the number of lines), so that a ledger that was cut anywhere,
 * or altered, is never taken for one with fewer releases. Fields have one space between them; ledger_line.h says what
 * they are. Version 1 had shorter lines: it is read, and becomes version 2 with the next release, its lines as they
 * are.
 */
#ifndef UF_LEDGER_TEXT_H
#define UF_LEDGER_TEXT_H

#include "ledger_sets.h"

/* Some hundred thousand releases. A larger file is no ledger of ours, and nothing is allocated for it. */
enum { LEDGER_MOST = 1 << 24 };

struct ledger {
    struct mem mem;
    char *text; /* owned: what ledger_start allocated */
    size_t bytes, capacity;
    size_t lines; /* without the last */
    int version;  /* 1 or 2 */
    struct data_sets sets;
};

typedef int ledger_each(void *arg, const uf_ledger_entry *entry);

/* Room for a text of `bytes` bytes, to be filled by the caller, and for what ledger_add adds to it. */
int ledger_start(struct ledger *ledger, size_t bytes, uf_error *why);
void ledger_free(struct ledger *ledger);

/* Makes the text that of a ledger without releases. */
int ledger_clear(struct ledger *ledger, uf_error *why);

/* Checks every byte of the text and sums it up. */
int ledger_parse(struct ledger *ledger, uf_error *why);

/* Calls `each` for every release of a text that was parsed, until it returns something else than 0, which is then
 * returned. */
int ledger_walk(struct ledger *ledger, ledger_each *each, void *arg);

/* NULL when there is none. */
struct data_set *ledger_find(struct ledger *ledger, const char *name);

/* Adds a release to a text that was parsed; budget > 0 when the data set is new. The last line is made anew. */
int ledger_add(struct ledger *ledger, const uf_ledger_entry *entry, double budget, uf_error *why);

#endif
