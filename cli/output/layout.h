/* SPDX-License-Identifier: MIT */
/* Paragraphs on an 80-column page. */
#ifndef CLI_LAYOUT_H
#define CLI_LAYOUT_H

#include <stdio.h>

/* Prints `text` from the column where the line now stands, `at`, and breaks it at words so that
 * further lines begin at column `indent`. A newline in the text starts a line; ends with one. */
void layout_paragraph(FILE *out, const char *text, size_t at, size_t indent);

/* "  label      text": the text begins at `column`, on a new line when the label is too long. */
void layout_entry(FILE *out, const char *label, const char *text, size_t column);

#endif
