/* SPDX-License-Identifier: MIT */
#include "partitions.h"

#include <math.h>

#include "plan.h"
#include "status.h"

int partitions_set(struct partitions *out, uint64_t n, uint64_t part, unsigned k, unsigned cell, uf_error *why)
{
    uint64_t per_word = 64 / cell, words = ceil_div(part, per_word);
    if (words * k > SIZE_MAX / 8)
        return fail(why, UF_ENOMEM, "a filter of %llu bits does not fit into this machine's memory",
                    (unsigned long long)(part * k * cell));
    *out = (struct partitions){n, part, per_word * words, k, cell};
    return UF_OK;
}

void partitions_encode(const struct partitions *array, struct writer *writer)
{
    write_uint(writer, array->n, 8);
    write_uint(writer, array->part, 8);
    write_uint(writer, array->k, 4);
}

int partitions_decode(struct partitions *out, struct reader *reader, unsigned cell, const char *kind, uf_error *why)
{
    uint64_t n = read_uint(reader, 8), part = read_uint(reader, 8), k = read_uint(reader, 4);
    if (n > UINT64_C(1) << 53 || k < 1 || k > POSITIONS_MOST_K || part < 1 || part > PLAN_MAX_BITS / k / cell)
        return fail(why, UF_EFORMAT, "is damaged: no %s filter has n=%llu, k=%llu and %llu %s per partition", kind,
                    (unsigned long long)n, (unsigned long long)k, (unsigned long long)part,
                    cell == 1 ? "bits" : "counters");
    return partitions_set(out, n, part, (unsigned)k, cell, why);
}

int partitions_check(const struct partitions *array, const uint64_t *words, uf_error *why)
{
    uint64_t each = partitions_words(array) / array->k, last = array->part * array->cell % 64;
    for (unsigned i = 0; last && i < array->k; i++)
        if (words[(i + 1) * each - 1] >> last)
            return fail(why, UF_EFORMAT, "is damaged: bits are set past the end of partition %u", i);
    return UF_OK;
}

void partitions_describe(const struct partitions *array, uint64_t bits, struct spec *plan)
{
    spec_set_number(plan, "n", (double)array->n);
    plan_set_fpr(plan, rate_bloom(array->n, array->part, array->k));
    spec_set_number(plan, "bits", (double)bits);
    spec_set_number(plan, "k", array->k);
}

void partitions_capacity(const struct partitions *array, struct planned *out)
{
    *out = (struct planned){array->n, array->k, rate_bloom(array->n, array->part, array->k)};
}

struct fill partitions_fill(const struct partitions *array, const uint64_t *words,
                            uint64_t (*used)(const uint64_t *words, size_t count))
{
    size_t each = partitions_words(array) / array->k;
    double part = (double)array->part;
    struct fill fill = {.rate = 1};
    for (unsigned i = 0; i < array->k; i++) {
        uint64_t here = used(words + i * each, each);
        fill.used += here;
        fill.rate *= (double)here / part;
    }
    fill.share = (double)fill.used / (part * array->k);
    fill.keys = array->part > 1 ? log1p(-fill.share) / log1p(-1 / part) : fill.share;
    return fill;
}

void partitions_survey(const struct partitions *array, const uint64_t *words,
                       uint64_t (*used)(const uint64_t *words, size_t count), struct survey *out)
{
    struct fill fill = partitions_fill(array, words, used);
    *out = (struct survey){fill.used, fill.keys};
}

uint64_t partitions_limit(const struct partitions *array)
{
    return (uint64_t)limit_cells(array->n, array->part, array->k);
}

double partitions_most_rate(const struct partitions *array)
{
    return pow(fmin((double)partitions_limit(array) / ((double)array->part * array->k), 1), array->k);
}
