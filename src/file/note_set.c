/* SPDX-License-Identifier: MIT */
/* What a maker says about a filter: putting it there, and asking for it. */
#include <string.h>

#include "header.h"
#include "note.h"
#include "sized.h"
#include "status.h"
#include "visible.h"

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
