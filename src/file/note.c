/* SPDX-License-Identifier: MIT */
#include "note.h"

#include <string.h>

#include "status.h"
#include "visible.h"

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
