/* SPDX-License-Identifier: MIT */
#include "note.h"

#include <string.h>

#include "header.h"
#include "sized.h"
#include "status.h"
#include "visible.h"

/* The last second of the year 9999, which dates are written with four digits until. */
#define NOTE_LAST_DATE UINT64_C(253402300799)

void note_write(const struct note *note, struct writer *writer)
{
    const size_t name = strlen(note->name), comment = strlen(note->comment);
    write_uint(writer, note->date, 8);
    write_uint(writer, name, 2);
    write_uint(writer, comment, 2);
    write_bytes(writer, note->name, name);
    write_bytes(writer, note->comment, comment);
}

static int read_text(struct reader *reader, uint64_t bytes, char *out, size_t size)
{
    if (bytes >= size || bytes > reader->left || !is_visible((const char *)reader->at, (size_t)bytes))
        return 0;
    memcpy(out, read_bytes(reader, (size_t)bytes), (size_t)bytes);
    out[bytes] = 0;
    return 1;
}

int note_read(struct reader *reader, struct note *out, uf_error *why)
{
    out->date = read_uint(reader, 8);
    uint64_t name = read_uint(reader, 2), comment = read_uint(reader, 2);
    if (reader->bad || out->date > NOTE_LAST_DATE || !read_text(reader, name, out->name, sizeof out->name) ||
        !read_text(reader, comment, out->comment, sizeof out->comment) || !note_is_there(out))
        return fail(why, UF_EFORMAT, "is damaged: its name, comment or date is none");
    return UF_OK;
}

static int set_text(const char *what, const char *text, char *out, size_t size, uf_error *why)
{
    const size_t bytes = text ? strlen(text) : 0;
    if (bytes >= size)
        return fail(why, UF_EINVAL, "the %s has %zu bytes, and there is room for %zu: make it shorter", what, bytes,
                    size - 1);
    if (!is_visible(text, bytes))
        return fail(why, UF_EINVAL, "the %s is not a line of visible characters in UTF-8", what);
    memcpy(out, text ? text : "", bytes + 1);
    return UF_OK;
}

/* A chain or a learned filter of very many parts fills the header. */
static int check_space(uf_filter *filter, const struct note *old, uf_error *why)
{
    unsigned char page[HEADER_BYTES];
    if (header_write(filter, page) == UF_OK)
        return UF_OK;
    filter->note = *old;
    return fail(why, UF_EUNSUPPORTED, "the header of this filter has no room for a name or a comment of this length");
}

int uf_set_note(uf_filter *filter, const char *name, const char *comment, uint64_t date, uf_error *why)
{
    struct note note = {.date = date};
    error_clear(why);
    if (!filter)
        return fail(why, UF_EINVAL, "no filter was given");
    if (filter->map)
        return fail(why, UF_EREADONLY, "a mapped filter, or a view, cannot change: load it without UF_MAP");
    if (date > NOTE_LAST_DATE)
        return fail(why, UF_EINVAL, "the date is after the year 9999: it is a number of seconds since 1970");
    int status = set_text("name", name, note.name, sizeof note.name, why);
    if (status == UF_OK)
        status = set_text("comment", comment, note.comment, sizeof note.comment, why);
    if (status != UF_OK)
        return status;
    const struct note old = filter->note;
    filter->note = note;
    return check_space(filter, &old, why);
}

int uf_get_note(const uf_filter *filter, uf_note *out, size_t size)
{
    uf_note note = {.date = 0};
    if (!filter || !out)
        return UF_EINVAL;
    note.date = filter->note.date;
    strcpy(note.name, filter->note.name);
    strcpy(note.comment, filter->note.comment);
    return sized_write(&note, sizeof note, out, size);
}
