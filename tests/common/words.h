/* SPDX-License-Identifier: MIT */
/* Words of two made-up languages, for models: both use all 26 letters, each prefers half of them. */
#ifndef UF_TEST_WORDS_H
#define UF_TEST_WORDS_H

#include "keys.h"

enum { WORD_LETTERS = 12 };

/* `count` words of language 0 or 1, the same for the same seed. Two sets hardly ever share a word. Of its own half a
 * language takes `own` letters in 16: 8 is no preference at all. */
struct keys words_make(int language, unsigned own, size_t count, uint64_t seed);

#endif
