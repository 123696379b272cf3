/* SPDX-License-Identifier: MIT */
/*
 * A model: 2^log_weights integer weights of 4 or 8 bits. The score of a key is the sum of the weights of its features
 * (feature.h), one integer on every machine: a member that scored above a threshold when a filter was built scores the
 * same when it is looked up, which is why a learned filter has no false negatives.
 *
 * Weights are packed, the first in the lowest bits of the first word, each stored plus 8 or plus 128. They are
 * symmetric, -7 to 7 and -127 to 127, so a stored 0 does not occur.
 */
#ifndef UF_MODEL_H
#define UF_MODEL_H

#include "feature.h"
#include "mem.h"

struct model {
    unsigned log_weights, weight_bits;
    size_t word_count;
    const uint64_t *words; /* whose they are is the holder's business */
};

/* Words that a table of this shape has. */
static inline size_t model_words(unsigned log_weights, unsigned weight_bits)
{
    return ((size_t)weight_bits << log_weights) / 64;
}

static inline int model_shape_legal(uint64_t log_weights, uint64_t weight_bits)
{
    return log_weights >= FEATURES_LEAST_LOG && log_weights <= FEATURES_MOST_LOG &&
           (weight_bits == 4 || weight_bits == 8);
}

/* 1 when no stored weight is 0. */
int model_words_legal(const struct model *model);

int32_t model_score(const struct model *model, uf_key key);
void model_score_many(const struct model *model, const uf_key *keys, size_t count, int32_t *out);

#endif
