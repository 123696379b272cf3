/* SPDX-License-Identifier: MIT */
#include "random_strings.h"

enum { LETTERS = 26, PER_WORD = 10 };

/* The upper half of a product, with 32-bit parts where the compiler has no wider type. */
static uint64_t take_letter(uint64_t *word)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)*word * LETTERS;
    *word = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t low = (*word & UINT32_MAX) * LETTERS, high = (*word >> 32) * LETTERS + (low >> 32);
    *word *= LETTERS;
    return high >> 32;
#endif
}

/* Ten letters from each random word, as a fraction of 2^64 in base 26, highest digit first: a multiplication a letter.
 * 26 does not divide 2^64, and these strings do not care. */
void random_strings_draw(struct stream *stream, char *out, size_t count)
{
    for (size_t i = 0; i < count * STRING_BYTES; i += PER_WORD) {
        uint64_t word = stream_next(stream);
        for (size_t j = 0; j < PER_WORD; j++)
            out[i + j] = (char)('a' + take_letter(&word));
    }
}
