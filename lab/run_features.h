/* SPDX-License-Identifier: MIT */
/*
 * What is looked at in an observation, as numbers: the same list for every run, whatever made the file. Counts of the
 * whole, then single bytes from the start of the file and from the start of its body. The body of a .uf file is its
 * payload; of anything else, all of it.
 */
#ifndef LAB_RUN_FEATURES_H
#define LAB_RUN_FEATURES_H

#include "observation.h"

enum feature {
    FEATURE_EXISTS,
    FEATURE_STATUS,
    FEATURE_SIZE,
    FEATURE_ONES,       /* bits of the body that are set */
    FEATURE_ZERO_BYTES, /* of the body */
    FEATURE_ZERO_WORDS, /* of the body, 8 bytes each */
    FEATURE_FILE,       /* a hash of all bytes */
    FEATURE_PRINTED_SIZE,
    FEATURE_PRINTED, /* a hash of what was printed */
    FEATURE_ANSWER,
    FEATURE_BITS,
    FEATURE_COUNTS, /* how many of those there are; bytes follow */

    FEATURE_HEAD = 1024,
    FEATURE_BODY = 1024,
    FEATURES = FEATURE_COUNTS + FEATURE_HEAD + FEATURE_BODY
};

struct features {
    int64_t count[FEATURE_COUNTS];
    unsigned char byte[FEATURE_HEAD + FEATURE_BODY]; /* 0 where there is none */
};

void features_of(const struct observation *observation, struct features *out);

static inline int64_t feature_value(const struct features *features, unsigned feature)
{
    return feature < FEATURE_COUNTS ? features->count[feature] : features->byte[feature - FEATURE_COUNTS];
}

/* Hashes are equal or not; all others can also be larger. */
static inline int feature_is_hash(unsigned feature)
{
    return feature == FEATURE_FILE || feature == FEATURE_PRINTED;
}

/* "the size of the file", "byte 72 of the file". */
void feature_name(unsigned feature, char *out, size_t capacity);

#endif
