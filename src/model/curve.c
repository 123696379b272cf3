/* SPDX-License-Identifier: MIT */
#include "curve.h"

#include <math.h>
#include <string.h>

enum { TAIL = 48 }; /* candidates near the top are a part in so many of the negatives above them apart */

/* ---- sorting ---- */

/* As unsigned numbers in the same order. */
static inline uint64_t flipped(int64_t score)
{
    return (uint64_t)score ^ UINT64_C(1) << 63;
}

static void sort_by_byte(const int64_t *from, int64_t *to, size_t count, unsigned shift)
{
    size_t start[257] = {0};
    for (size_t i = 0; i < count; i++)
        start[(flipped(from[i]) >> shift & 255) + 1]++;
    for (unsigned b = 0; b < 256; b++)
        start[b + 1] += start[b];
    for (size_t i = 0; i < count; i++)
        to[start[flipped(from[i]) >> shift & 255]++] = from[i];
}

void scores_sort(int64_t *scores, int64_t *scratch, size_t count)
{
    int64_t *from = scores, *to = scratch;
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++)
        differ |= (uint64_t)scores[i] ^ (uint64_t)scores[0];
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 255))
            continue;
        sort_by_byte(from, to, count, shift);
        int64_t *done = to;
        to = from;
        from = done;
    }
    if (from != scores)
        memcpy(scores, from, count * sizeof *scores);
}

/* ---- the curve ---- */

/* How many of the sorted scores are below `score`. */
static size_t below(const int64_t *scores, size_t count, int64_t score)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (scores[middle] < score)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The score at share i / pieces of a sorted array. */
static int64_t quantile(const int64_t *scores, size_t count, size_t i, size_t pieces)
{
    return scores[(size_t)((double)count * ((double)i / (double)pieces))];
}

/* Candidates for the lowest scores of segments: half from the keys, half from the negatives; sorted, with repeats. */
static size_t candidates(const int64_t *keys, size_t key_count, const int64_t *negatives, size_t negative_count,
                         size_t segments, int64_t *out)
{
    int64_t scratch[CURVE_MOST_SEGMENTS];
    size_t half = segments / 2, count = 0;
    for (size_t i = 1; key_count && i <= half; i++)
        out[count++] = quantile(keys, key_count, i, half + 1);
    for (size_t i = 1; negative_count && i < segments - half; i++)
        out[count++] = quantile(negatives, negative_count, i, segments - half);
    scores_sort(out, scratch, count);
    return count;
}

/* The same from the negatives alone, so that no key decides about a boundary: half of them at even shares, half closer
 * and closer to the top, where most keys are, and one above all negatives. */
static size_t public_candidates(const int64_t *negatives, size_t negative_count, size_t segments, int64_t *out)
{
    int64_t scratch[CURVE_MOST_SEGMENTS];
    size_t half = segments / 2, count = 0;
    for (size_t i = 1; negative_count && i < segments - half; i++)
        out[count++] = quantile(negatives, negative_count, i, segments - half);
    for (size_t i = 1, rank = 1; i < half && rank <= negative_count; i++, rank += 1 + rank / TAIL)
        out[count++] = negatives[negative_count - rank];
    if (negative_count && negatives[negative_count - 1] < INT64_MAX)
        out[count++] = negatives[negative_count - 1] + 1;
    scores_sort(out, scratch, count);
    return count;
}

static double area_under(const int64_t *keys, size_t key_count, const int64_t *negatives, size_t negative_count)
{
    double above = 0;
    size_t less = 0, up_to = 0;
    if (!key_count || !negative_count)
        return NAN;
    for (size_t i = 0; i < key_count; i++) {
        while (less < negative_count && negatives[less] < keys[i])
            less++;
        while (up_to < negative_count && negatives[up_to] <= keys[i])
            up_to++;
        above += 0.5 * ((double)less + (double)up_to);
    }
    return above / (double)key_count / (double)negative_count;
}

static int allocate(struct curve *curve)
{
    curve->from = mem_alloc(&curve->mem, curve->capacity, sizeof *curve->from);
    curve->keys = mem_alloc(&curve->mem, curve->capacity, sizeof *curve->keys);
    curve->negatives = mem_alloc(&curve->mem, curve->capacity, sizeof *curve->negatives);
    return curve->from && curve->keys && curve->negatives ? UF_OK : UF_ENOMEM;
}

static int cut_at(const struct mem *mem, const int64_t *keys, size_t key_count, const int64_t *negatives,
                  size_t negative_count, size_t segments, const int64_t *edge, size_t edges, struct curve *out)
{
    struct curve curve = {.mem = *mem, .capacity = segments + 1, .auc = NAN};
    if (allocate(&curve) != UF_OK) {
        curve_free(&curve);
        return UF_ENOMEM;
    }
    curve.from[0] = INT64_MIN;
    curve.segments = 1;
    for (size_t i = 0; i < edges; i++) {
        if (edge[i] == curve.from[curve.segments - 1])
            continue;
        curve.from[curve.segments] = edge[i];
        curve.keys[curve.segments] = below(keys, key_count, edge[i]);
        curve.negatives[curve.segments++] = below(negatives, negative_count, edge[i]);
    }
    curve.keys[curve.segments] = key_count;
    curve.negatives[curve.segments] = negative_count;
    curve.auc = area_under(keys, key_count, negatives, negative_count);
    *out = curve;
    return UF_OK;
}

int curve_make(const struct mem *mem, const int64_t *keys, size_t key_count, const int64_t *negatives,
               size_t negative_count, size_t segments, struct curve *out)
{
    int64_t edge[CURVE_MOST_SEGMENTS];
    size_t edges = candidates(keys, key_count, negatives, negative_count, segments, edge);
    return cut_at(mem, keys, key_count, negatives, negative_count, segments, edge, edges, out);
}

int curve_make_public(const struct mem *mem, const int64_t *keys, size_t key_count, const int64_t *negatives,
                      size_t negative_count, size_t segments, struct curve *out)
{
    int64_t edge[CURVE_MOST_SEGMENTS];
    size_t edges = public_candidates(negatives, negative_count, segments, edge);
    return cut_at(mem, keys, key_count, negatives, negative_count, segments, edge, edges, out);
}

int curve_coarse(const struct curve *curve, size_t segments, struct curve *out)
{
    size_t step = (curve->segments + segments - 1) / segments, count = (curve->segments + step - 1) / step;
    struct curve coarse = {.mem = curve->mem, .segments = count, .capacity = count + 1, .auc = curve->auc};
    if (allocate(&coarse) != UF_OK) {
        curve_free(&coarse);
        return UF_ENOMEM;
    }
    for (size_t i = 0; i <= count; i++) {
        size_t at = i < count ? i * step : curve->segments;
        coarse.from[i] = i < count ? curve->from[at] : 0;
        coarse.keys[i] = curve->keys[at];
        coarse.negatives[i] = curve->negatives[at];
    }
    *out = coarse;
    return UF_OK;
}

void curve_free(struct curve *curve)
{
    mem_free(&curve->mem, curve->from, curve->capacity, sizeof *curve->from);
    mem_free(&curve->mem, curve->keys, curve->capacity, sizeof *curve->keys);
    mem_free(&curve->mem, curve->negatives, curve->capacity, sizeof *curve->negatives);
}
