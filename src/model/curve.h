/* SPDX-License-Identifier: MIT */
/*
 * Keys and negatives by score: all that choosing thresholds and regions needs to know. Scores are cut into segments of
 * about equal mass, keys and negatives each counting half; equal scores are never split.
 */
#ifndef UF_CURVE_H
#define UF_CURVE_H

#include <stdint.h>

#include "mem.h"

enum { CURVE_MOST_SEGMENTS = 1000 };

struct curve {
    struct mem mem;
    size_t segments, capacity;
    int64_t *from;              /* owned: the lowest score of each segment; INT64_MIN for the first */
    uint64_t *keys, *negatives; /* owned: how many are below segment i; [segments] is all */
    double auc; /* chance that a key scores above a negative, half for ties; NaN when there are none of either */
};

/* Sorts, skipping bytes that are the same in all. `scratch` is as large. */
void scores_sort(int64_t *scores, int64_t *scratch, size_t count);

/* Both arrays sorted. At most so many segments, 1 to CURVE_MOST_SEGMENTS. */
int curve_make(const struct mem *mem, const int64_t *keys, size_t key_count, const int64_t *negatives,
               size_t negative_count, size_t segments, struct curve *out);
/* The same, but segments begin at scores of negatives only, so that where they do tells nothing about a key. */
int curve_make_public(const struct mem *mem, const int64_t *keys, size_t key_count, const int64_t *negatives,
                      size_t negative_count, size_t segments, struct curve *out);
/* The same with fewer segments, at most so many. */
int curve_coarse(const struct curve *curve, size_t segments, struct curve *out);
void curve_free(struct curve *curve);

static inline uint64_t curve_keys(const struct curve *curve)
{
    return curve->keys[curve->segments];
}

static inline uint64_t curve_negatives(const struct curve *curve)
{
    return curve->negatives[curve->segments];
}

#endif
