/* SPDX-License-Identifier: MIT */
/* Scores: what a build and a query both call. The bits of a weight are a constant in each copy of the loop. */
#include "model.h"

#include "feature_inline.h"

struct sum {
    const uint64_t *words;
    uint64_t total;
};

FEATURE_INLINE void add_nibble(void *arg, uint32_t index)
{
    struct sum *sum = arg;
    sum->total += sum->words[index >> 4] >> (index << 2 & 63) & 15;
}

FEATURE_INLINE void add_byte(void *arg, uint32_t index)
{
    struct sum *sum = arg;
    sum->total += sum->words[index >> 3] >> (index << 3 & 63) & 255;
}

/* Weights are stored with `zero` added to each. */
FEATURE_INLINE int32_t score(const struct model *model, uf_key key, feature_sink *add, int32_t zero)
{
    struct sum sum = {model->words, 0};
    features_each(key, 64 - model->log_weights, add, &sum);
    return (int32_t)sum.total - zero * (int32_t)features_count(key);
}

void model_score_many(const struct model *model, const uf_key *keys, size_t count, int32_t *out)
{
    if (model->weight_bits == 4)
        for (size_t i = 0; i < count; i++)
            out[i] = score(model, keys[i], add_nibble, 8);
    else
        for (size_t i = 0; i < count; i++)
            out[i] = score(model, keys[i], add_byte, 128);
}

int32_t model_score(const struct model *model, uf_key key)
{
    int32_t out;
    model_score_many(model, &key, 1, &out);
    return out;
}

/* A field of zeros, wherever: the classic test for a zero byte, with fields of 4 or 8 bits. */
int model_words_legal(const struct model *model)
{
    const uint64_t low = model->weight_bits == 4 ? UINT64_C(0x1111111111111111) : UINT64_C(0x0101010101010101);
    const uint64_t high = low << (model->weight_bits - 1);
    uint64_t zeros = 0;
    for (size_t i = 0; i < model->word_count; i++)
        zeros |= (model->words[i] - low) & ~model->words[i] & high;
    return !zeros;
}
