/* SPDX-License-Identifier: MIT */
#include "random_strings.h"

enum { LETTERS = 26, PER_WORD = 10, WORDS = STRING_BYTES / PER_WORD };

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

/* Ten letters from each random word, as a fraction of 2^64 in base 26, highest digit first: a multiplication a letter,
 * five words at a time. 26 does not divide 2^64, and these strings do not care. */
void random_strings_draw(struct stream *stream, char *out, size_t count)
{
    for (; count; count--, out += STRING_BYTES) {
        uint64_t word[WORDS];
        for (size_t w = 0; w < WORDS; w++)
            word[w] = stream_next(stream);
        for (size_t i = 0; i < PER_WORD; i++)
            for (size_t w = 0; w < WORDS; w++)
                out[w * PER_WORD + i] = (char)('a' + take_letter(&word[w]));
    }
}
