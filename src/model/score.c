/* SPDX-License-Identifier: MIT */
/* Scores: what a build and a query both call. */
#include "model.h"

#include "feature_inline.h"

enum { STEP = 16 }; /* weights that are added up together */

/* The byte of the table with bits 8 * index to 8 * index + 7. */
FEATURE_INLINE unsigned byte_at(const uint64_t *words, uint32_t index)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return ((const unsigned char *)words)[index];
#else
    return (unsigned)(words[index >> 3] >> (index << 3 & 63) & 255);
#endif
}

/* Weights are stored with 8 or 128 added to each. */
static int32_t score_bytes(const struct model *model, uf_key key)
{
    uint32_t index[FEATURES_MOST], sum = 0;
    const size_t count = features_count(key);
    (void)features_write(key, 64 - model->log_weights, index, use_later, NULL);
    for (size_t i = 0; i < count; i++)
        sum += byte_at(model->words, index[i]);
    return (int32_t)(sum - 128 * (uint32_t)count);
}

#ifdef FEATURE_NEON
/* The bytes in which the weights are are fetched while indexes are made, which keeps the scalar units busy while the
 * vector units multiply; then all halves are added up. */
struct nibbles {
    const uint64_t *words;
    uint32_t index[FEATURES_MOST + STEP];
    volatile unsigned char byte[FEATURES_MOST + STEP]; /* or gcc 12 collects them in a vector, one by one */
};

FEATURE_INLINE void fetch_bytes(void *arg, size_t first)
{
    struct nibbles *nibbles = arg;
    const unsigned char *table = (const unsigned char *)nibbles->words;
    for (size_t i = first; i < first + 2 * GRAMS; i += 2) {
        uint64_t two;
        memcpy(&two, nibbles->index + i, sizeof two);
        nibbles->byte[i] = table[(uint32_t)two >> 1];
        nibbles->byte[i + 1] = table[two >> 33];
    }
}

/* The half of each byte that its index means. */
FEATURE_INLINE uint8x16_t halves_of(uint8x16_t byte, const uint32_t index[STEP])
{
    uint16x8_t low = vuzp1q_u16(vreinterpretq_u16_u32(vld1q_u32(index)), vreinterpretq_u16_u32(vld1q_u32(index + 4)));
    uint16x8_t high =
        vuzp1q_u16(vreinterpretq_u16_u32(vld1q_u32(index + 8)), vreinterpretq_u16_u32(vld1q_u32(index + 12)));
    uint8x16_t odd = vtstq_u8(vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high)), vdupq_n_u8(1));
    return vbslq_u8(odd, vshrq_n_u8(byte, 4), vandq_u8(byte, vdupq_n_u8(15)));
}

static int32_t score_nibbles(const struct model *model, uf_key key)
{
    const size_t count = features_count(key), end = (count + STEP - 1) / STEP * STEP;
    uint16x8_t sum = vdupq_n_u16(0);
    struct nibbles nibbles;
    nibbles.words = model->words;
    size_t used = features_write(key, 64 - model->log_weights, nibbles.index, fetch_bytes, &nibbles);
    memset(nibbles.index + count, 0, STEP * sizeof nibbles.index[0]); /* weight 0, which is then too often there */
    for (; used < end; used += 2 * GRAMS)
        fetch_bytes(&nibbles, used);
    for (size_t i = 0; i < end; i += STEP)
        sum = vpadalq_u8(sum, halves_of(vld1q_u8((const unsigned char *)nibbles.byte + i), nibbles.index + i));
    uint32_t padding = (uint32_t)(end - count) * (byte_at(model->words, 0) & 15);
    return (int32_t)(vaddlvq_u16(sum) - padding - 8 * (uint32_t)count);
}
#else
static int32_t score_nibbles(const struct model *model, uf_key key)
{
    uint32_t index[FEATURES_MOST], sum = 0;
    const size_t count = features_count(key);
    (void)features_write(key, 64 - model->log_weights, index, use_later, NULL);
    for (size_t i = 0; i < count; i++)
        sum += byte_at(model->words, index[i] >> 1) >> (index[i] << 2 & 4) & 15;
    return (int32_t)(sum - 8 * (uint32_t)count);
}
#endif

void model_score_many(const struct model *model, const uf_key *keys, size_t count, int32_t *out)
{
    if (model->weight_bits == 4)
        for (size_t i = 0; i < count; i++)
            out[i] = score_nibbles(model, keys[i]);
    else
        for (size_t i = 0; i < count; i++)
            out[i] = score_bytes(model, keys[i]);
}

int32_t model_score(const struct model *model, uf_key key)
{
    return model->weight_bits == 4 ? score_nibbles(model, key) : score_bytes(model, key);
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
