/* SPDX-License-Identifier: MIT */
/*
 * An array of k partitions: the numbers that every kind of this shape has, and what follows from them alone. Which
 * cells of it a key has is in positions.h.
 */
#ifndef UF_PARTITIONS_H
#define UF_PARTITIONS_H

#include "ops.h"
#include "positions.h"

struct partitions {
    uint64_t n;      /* keys it is planned for */
    uint64_t part;   /* cells of a partition */
    uint64_t stride; /* cells from the start of one partition to that of the next: whole words */
    unsigned k;
    unsigned cell; /* bits of a cell: cells.h */
};

/* UF_ENOMEM when the array does not fit into this machine's memory. */
int partitions_set(struct partitions *out, uint64_t n, uint64_t part, unsigned k, unsigned cell, uf_error *why);

static inline size_t partitions_words(const struct partitions *array)
{
    return (size_t)(array->stride / (64 / array->cell) * array->k);
}

INLINE struct positions partitions_view(const struct partitions *array, uint64_t *words)
{
    return (struct positions){words, array->part, array->stride, array->k, array->cell == 1 ? 6 : 4};
}

/* u64 n, u64 part, u32 k. `kind` is for the error, when the numbers are none that a plan makes. */
void partitions_encode(const struct partitions *array, struct writer *writer);
int partitions_decode(struct partitions *out, struct reader *reader, unsigned cell, const char *kind, uf_error *why);

/* Cells past `part` in the last word of a partition must be zero. */
int partitions_check(const struct partitions *array, const uint64_t *words, uf_error *why);

/* n, fpr, bits and k of a plan; `bits` is what all of the filter takes. */
void partitions_describe(const struct partitions *array, uint64_t bits, struct spec *plan);

/* The same numbers for filter_ops. */
void partitions_capacity(const struct partitions *array, struct planned *out);

/* What an array tells when its cells that are not zero are counted, with `used`. */
struct fill {
    double share;  /* of cells that are not zero */
    double rate;   /* at which fresh keys are accepted: the product of the partitions' shares, exactly */
    double keys;   /* how many there are: each partition is a sample of that, their mean share is inverted */
    uint64_t used; /* cells: the measure of its rate (filter/capacity.h) */
};
struct fill partitions_fill(const struct partitions *array, const uint64_t *words,
                            uint64_t (*used)(const uint64_t *words, size_t count));

/* For filter_ops. */
void partitions_survey(const struct partitions *array, const uint64_t *words,
                       uint64_t (*used)(const uint64_t *words, size_t count), struct survey *out);
uint64_t partitions_limit(const struct partitions *array);
double partitions_most_rate(const struct partitions *array); /* when so many cells are spread evenly */

#endif
