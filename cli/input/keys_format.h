/* SPDX-License-Identifier: MIT */
/*
 * How keys lie in a file, and what is made of them. A file is a row of records: lines, what NUL bytes end, or pieces of
 * one width. The key of a record is all of it, or one field of it, or what its hexadecimal digits or base64 stand for;
 * then it is normalised, the way the filter says.
 */
#ifndef CLI_KEYS_FORMAT_H
#define CLI_KEYS_FORMAT_H

#include <stdbool.h>

#include "args.h"
#include "ultrafilter.h"

enum keys_coding { CODING_NONE, CODING_HEX, CODING_BASE64 };

/* What the user says about something that is noticed. */
enum keys_choice { STRIP_AND_WARN, STRIP, KEEP_AND_WARN, KEEP };

struct keys_format {
    char separator;        /* what ends a record: a newline, or with -0 a NUL byte */
    enum keys_choice crlf; /* a carriage return before it */
    enum keys_choice bom;  /* a byte order mark at the start of a file */
    bool raw;              /* every byte as it is, whatever the file looks like */
    unsigned field;        /* the key is this field of a record, from 1; 0: all of it */
    const char *column;    /* the same by the name that the first record has; NULL: none */
    char delimiter;        /* between fields */
    enum keys_coding coding;
    size_t width;    /* bytes of a record; 0: a separator ends it */
    unsigned normal; /* enum uf_normal */
    bool secret;     /* nothing that is printed tells how many records there are */
};

/* What the options say. EXIT_FINE, or EXIT_ERROR after a message. */
int keys_read_format(const struct args *args, struct keys_format *out);

/* The same for keys that this filter is asked for or gets: normalised as its keys were. */
int keys_format_for(const struct args *args, const uf_filter *filter, struct keys_format *out);

/* DCSO's bloom strips carriage returns and takes a byte order mark for a part of the key: its filters get the same. */
void keys_format_dcso(struct keys_format *format);

/* Lines, in which carriage returns and byte order marks are no part of a key. */
static inline bool keys_are_lines(const struct keys_format *format)
{
    return format->separator == '\n' && !format->width;
}

static inline bool keys_have_fields(const struct keys_format *format)
{
    return format->field || format->column;
}

/* The key of a record is found by looking at it, not only at where it ends. */
static inline bool keys_are_shaped(const struct keys_format *format)
{
    return keys_have_fields(format) || format->coding || format->width ||
           format->normal & (UF_NORMAL_LOWERCASE | UF_NORMAL_TRIM);
}

#endif
