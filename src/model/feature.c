/* SPDX-License-Identifier: MIT */
#include "feature_inline.h"

/* clang-format off */
const unsigned char feature_class_of[256] = {
    ['0' ... '9'] = CLASS_DIGIT,
    ['A'] = CLASS_VOWEL, ['B' ... 'D'] = CLASS_CONSONANT, ['E'] = CLASS_VOWEL, ['F' ... 'H'] = CLASS_CONSONANT,
    ['I'] = CLASS_VOWEL, ['J' ... 'N'] = CLASS_CONSONANT, ['O'] = CLASS_VOWEL, ['P' ... 'T'] = CLASS_CONSONANT,
    ['U'] = CLASS_VOWEL, ['V' ... 'Z'] = CLASS_CONSONANT,
    ['a'] = CLASS_VOWEL, ['b' ... 'd'] = CLASS_CONSONANT, ['e'] = CLASS_VOWEL, ['f' ... 'h'] = CLASS_CONSONANT,
    ['i'] = CLASS_VOWEL, ['j' ... 'n'] = CLASS_CONSONANT, ['o'] = CLASS_VOWEL, ['p' ... 't'] = CLASS_CONSONANT,
    ['u'] = CLASS_VOWEL, ['v' ... 'z'] = CLASS_CONSONANT,
    [128 ... 255] = CLASS_HIGH,
    ['.'] = CLASS_DOT, ['-'] = CLASS_HYPHEN, ['_'] = CLASS_HYPHEN,
    ['/'] = CLASS_MARK, ['?'] = CLASS_MARK, ['&'] = CLASS_MARK, ['='] = CLASS_MARK, [':'] = CLASS_MARK,
    ['#'] = CLASS_MARK, ['%'] = CLASS_MARK, ['@'] = CLASS_MARK,
};
/* clang-format on */

static void store(void *arg, uint32_t index)
{
    uint32_t **at = arg;
    *(*at)++ = index;
}

void features_of(uf_key key, unsigned log_weights, uint32_t out[FEATURES_MOST])
{
    features_each(key, 64 - log_weights, store, &out);
}
