/* SPDX-License-Identifier: MIT */
/*
 * What a key looks like to a model: a list of indexes into a table of 2^log_weights weights. The sum of those weights
 * is its score. Integers only, the same on every machine; a model file depends on each of them, so they never change.
 *
 * A key of more than 254 bytes is seen through a window: its first 127 and its last 127. Put a byte 2 in front of the
 * window and a byte 3 behind it. The features are
 *
 *   every three and every four bytes in a row, from those that end with the second byte of the window to those that end
 *   with the 3; where four begin before the 2, there is a zero
 *   15 tokens: length, digits, hyphens, dots, other punctuation, bytes above 127, share of vowels, longest run of
 *   consonants; the ending (what follows the last dot, up to 8 bytes; without one the last 3 bytes), alone and together
 *   with the length, the dots, the digits and hyphens; the length of the label before it, its vowels and digits
 *
 * each hashed by a multiplication of which the upper log_weights bits are kept. "example.com" has 11 + 11 + 15.
 *
 * Weinberger, Dasgupta, Langford, Smola and Attenberg, "Feature hashing for large scale multitask learning", ICML 2009.
 */
#ifndef UF_FEATURE_H
#define UF_FEATURE_H

#include "ultrafilter.h"

enum {
    FEATURES_WINDOW = 254,
    FEATURES_TOKENS = 15,
    FEATURES_MOST = 2 * FEATURES_WINDOW + FEATURES_TOKENS,
    FEATURES_LEAST_LOG = 6, /* of a table: 64 weights */
    FEATURES_MOST_LOG = 22
};

static inline size_t features_count(uf_key key)
{
    return 2 * (key.size < FEATURES_WINDOW ? key.size : FEATURES_WINDOW) + FEATURES_TOKENS;
}

/* Their indexes; features_count of them. */
void features_of(uf_key key, unsigned log_weights, uint32_t out[FEATURES_MOST]);

#endif
