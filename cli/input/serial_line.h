/* SPDX-License-Identifier: MIT */
/* The line of a file of --last: "ultrafilter-serial-1 ", a serial in 20 digits, and a newline. */
#ifndef CLI_SERIAL_LINE_H
#define CLI_SERIAL_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERIAL_LINE = 21 + 20 + 1 };

/* With a zero byte behind it. */
void serial_print(uint64_t serial, char line[SERIAL_LINE + 1]);

/* False: it is no such line. There is one spelling of each serial. */
bool serial_parse(const char *text, size_t bytes, uint64_t *out);

#endif
