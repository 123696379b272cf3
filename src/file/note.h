/* SPDX-License-Identifier: MIT */
/*
 * What the maker of a filter chose to say about it: a name, a comment, a date. Behind the description in the header:
 *
 *     u64 date, seconds since 1970 (0: none) · u16 bytes of the name · u16 bytes of the comment · name · comment
 *
 * Texts are UTF-8 of characters that can be seen, so that they can be printed as they are, whoever wrote the file.
 */
#ifndef UF_NOTE_H
#define UF_NOTE_H

#include "filter.h"

/* The last second of the year 9999, which dates are written with four digits until. */
#define NOTE_LAST_DATE UINT64_C(253402300799)

static inline int note_is_there(const struct note *note)
{
    return note->name[0] || note->comment[0] || note->date;
}

void note_write(const struct note *note, struct writer *writer);

/* UF_EFORMAT for what note_write does not write. */
int note_read(struct reader *reader, struct note *out, uf_error *why);

#endif
