/* SPDX-License-Identifier: MIT */
#include "serial_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD "ultrafilter-serial-1 "

_Static_assert(SERIAL_LINE == sizeof WORD - 1 + 20 + 1, "a word, the digits of 2^64 - 1, a newline");

void serial_print(uint64_t serial, char line[SERIAL_LINE + 1])
{
    (void)snprintf(line, SERIAL_LINE + 1, WORD "%020" PRIu64 "\n", serial);
}

/* Read, written again, and compared. */
bool serial_parse(const char *text, size_t bytes, uint64_t *out)
{
    char digits[SERIAL_LINE + 1] = "", line[SERIAL_LINE + 1];
    if (bytes != SERIAL_LINE)
        return false;
    memcpy(digits, text, bytes);
    const uint64_t serial = strtoull(digits + sizeof WORD - 1, NULL, 10);
    serial_print(serial, line);
    if (memcmp(line, text, bytes) != 0)
        return false;
    *out = serial;
    return true;
}
