/* SPDX-License-Identifier: MIT */
/*
 * One line of a ledger:
 *
 *     budget patients 3
 *     release patients 0.99999 dpset 2c4f0a... delta=0 date=2026-11-15T17:22:14Z label=spring file=patients.uf
 *
 * label= and file= are left out where there is none. In the name of a file, spaces, control characters and % are
 * written as % and two hexadecimal digits. A line of version 1 ends with the id: it has no delta, and counts with the
 * largest one that a file of that time could have.
 */
#ifndef UF_LEDGER_LINE_H
#define UF_LEDGER_LINE_H

#include "ultrafilter.h"

/* Of the longest line, with its newline and a NUL: names of 63, 23, 32 and 63 bytes, a file of 3 times 255, two numbers
 * of 24, a date, and the words between them. */
enum { LEDGER_LINE = 1200 };

enum ledger_line { LINE_BAD, LINE_BUDGET, LINE_RELEASE };

/* Reads a line without its newline, which is cut into pieces meanwhile. Fills what the line has: of a budget the data
 * set and the budget. The date is empty in a line of version 1, the only one that version 1 allows. */
enum ledger_line ledger_line_read(char *line, int version, uf_ledger_entry *out);

/* Writes either line, newline and NUL included. Returns its length. */
size_t ledger_line_budget(const uf_ledger_entry *entry, double budget, char out[LEDGER_LINE]);
size_t ledger_line_release(const uf_ledger_entry *entry, char out[LEDGER_LINE]);

#endif
