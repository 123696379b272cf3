/* SPDX-License-Identifier: MIT */
/* Numbers as text, the same in every locale. */
#ifndef UF_NUMBER_H
#define UF_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* 1 when the whole text is a finite decimal number such as 12, 0.01 or 1e6; it is then in *out. */
int number_parse(const char *text, double *out);

/* 1 when the text is a whole number in [0, 2^53], also written 1e6 or 1.5e3. */
int number_parse_count(const char *text, uint64_t *out);

/* 1 when the text is 0x and one to sixteen hexadecimal digits. */
int number_parse_hex(const char *text, uint64_t *out);

/* The shortest decimal text that reads back as the same number. */
void number_format(double value, char *out, size_t size);

/* The same with so many significant digits. */
void number_format_digits(double value, int digits, char *out, size_t size);

#endif
