/* SPDX-License-Identifier: MIT */
/* The file of `verify --last`: the input is its text. What is read is written as it was, and nothing else is written
 * so. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "serial_line.h"

int fuzz_serial(const uint8_t *data, size_t size)
{
    char line[SERIAL_LINE + 1], *text = calloc(1, size ? size : 1); /* of exactly its size */
    uint64_t serial = 0;
    fuzz_check(text);
    if (size)
        memcpy(text, data, size);
    if (serial_parse(text, size, &serial)) {
        serial_print(serial, line);
        fuzz_check(size == SERIAL_LINE && !memcmp(line, text, size));
        fuzz_plant(serial > UINT64_C(1) << 40 && serial >> 63 == 0, serial % 16 == 13);
    }
    free(text);
    return 0;
}

fuzz_head_of fuzz_serial_head;
size_t fuzz_serial_head(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}
