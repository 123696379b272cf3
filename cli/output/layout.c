/* SPDX-License-Identifier: MIT */
#include "layout.h"

#include <string.h>

enum { PAGE = 80 };

static void start_line(FILE *out, size_t indent)
{
    (void)fprintf(out, "\n%*s", (int)indent, "");
}

/* Columns, not bytes: the continuation bytes of UTF-8 take none. */
static size_t width(const char *text, size_t bytes)
{
    size_t columns = 0;
    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

void layout_paragraph(FILE *out, const char *text, size_t at, size_t indent)
{
    size_t start = at;
    while (*text) {
        if (*text == '\n') {
            text++;
            if (*text == '\n')
                (void)fputc('\n', out), text++;
            start_line(out, indent);
            at = start = indent;
            continue;
        }
        size_t word = strcspn(text, " \n");
        size_t columns = width(text, word);
        if (at > start && at + 1 + columns > PAGE) {
            start_line(out, indent);
            at = start = indent;
        }
        at += (size_t)fprintf(out, "%s%.*s", at > start ? " " : "", (int)word, text) - word + columns;
        text += word;
        text += *text == ' ';
    }
    (void)fputc('\n', out);
}

void layout_entry(FILE *out, const char *label, const char *text, size_t column)
{
    size_t at = 2 + strlen(label);
    (void)fprintf(out, "  %s", label);
    if (at + 2 > column)
        start_line(out, column);
    else
        (void)fprintf(out, "%*s", (int)(column - at), "");
    layout_paragraph(out, text, column, column);
}
