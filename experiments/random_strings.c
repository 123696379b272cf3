/* SPDX-License-Identifier: MIT */
#include "random_strings.h"

#include <stdlib.h>

/* Ten letters from each random word. 26 does not divide 2^64, and these strings do not care. */
char *random_strings_make(struct stream *stream, uint64_t count)
{
    char *strings = malloc((size_t)count * STRING_BYTES + 1);
    if (!strings)
        return NULL;
    uint64_t word = 0;
    for (size_t i = 0; i < (size_t)count * STRING_BYTES; i++) {
        if (i % 10 == 0)
            word = stream_next(stream);
        strings[i] = (char)('a' + word % 26);
        word /= 26;
    }
    return strings;
}
