/* SPDX-License-Identifier: MIT */
#include "words.h"

#include <stdlib.h>

#include "check.h"
#include "random.h"

struct keys words_make(int language, unsigned own, size_t count, uint64_t seed)
{
    struct keys words = {malloc((count + 1) * sizeof *words.key), count, malloc((count + 1) * WORD_LETTERS)};
    uint64_t state = seed * 2 + (uint64_t)language;
    assert_true(words.key && words.text);
    for (size_t i = 0; i < count; i++) {
        char *word = words.text + i * WORD_LETTERS;
        for (int j = 0; j < WORD_LETTERS; j++) {
            int half = random_below(&state, 16) < own ? language : !language;
            word[j] = (char)('a' + 2 * (int)random_below(&state, 13) + half);
        }
        words.key[i] = (uf_key){word, WORD_LETTERS};
    }
    return words;
}
