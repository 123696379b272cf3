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

#define START(tag) (tag) * FEATURE_TAG * FEATURE_TOKEN
const uint64_t feature_token_start[FEATURES_TOKENS] = {
    START(1), START(2), START(3), START(4), START(5), START(6), START(7), START(8), START(9), START(10),
    START(11), START(12), START(13), START(14), START(15),
};
/* clang-format on */

void features_of(uf_key key, unsigned log_weights, uint32_t out[FEATURES_MOST])
{
    (void)features_write(key, 64 - log_weights, out, use_later, NULL);
}
