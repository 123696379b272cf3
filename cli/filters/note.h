/* SPDX-License-Identifier: MIT */
/* --name, --comment and --date: what the maker of a filter puts into its file, and how it is shown. */
#ifndef CLI_NOTE_H
#define CLI_NOTE_H

#include "args.h"
#include "ultrafilter.h"

extern const struct option option_note_name, option_note_comment, option_note_date;

#define NOTE_OPTIONS &option_note_name, &option_note_comment, &option_note_date

/* Whether they make sense, before any work is done, in a file of this format. EXIT_FINE, or EXIT_ERROR after a
 * message. */
int note_check(const struct args *args, unsigned format);

/* Puts what was given into the filter. Otherwise it keeps what it has. */
int note_put(const struct args *args, uf_filter *filter);

/* A date as it is shown: 2026-11-15T17:22:14Z. */
enum { NOTE_DATE_SIZE = 32 };
void note_date_text(uint64_t date, char out[NOTE_DATE_SIZE]);

#endif
