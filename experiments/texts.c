/* SPDX-License-Identifier: MIT */
#include "texts.h"

#include <stdlib.h>

/* Ten letters from each random word. 26 does not divide 2^64, and these texts do not care. */
char *texts_make(struct stream *stream, uint64_t count)
{
    char *texts = malloc((size_t)count * TEXT_BYTES + 1);
    if (!texts)
        return NULL;
    uint64_t word = 0;
    for (size_t i = 0; i < (size_t)count * TEXT_BYTES; i++) {
        if (i % 10 == 0)
            word = stream_next(stream);
        texts[i] = (char)('a' + word % 26);
        word /= 26;
    }
    return texts;
}
