/* SPDX-License-Identifier: MIT */
/*
 * dpset in mixed radix, the build of a shard: coins, rows, elimination in each field, free digits, packing. The keys
 * that are planted are counted as they are drawn, and too many are a try that failed, as dependent rows are. When it is
 * the first try the caller draws everything again, the shards too: dpset_build.c says why.
 */
#include "dpset_radix.h"

#include "arith.h"
#include "dpset_build.h"

/* Rows are sorted by their starts, 16 starts together: the elimination stays in cache. */
enum { START_BITS = 4 };

/* The planes of the negative of a number, as sparse_row.value has them. */
static uint32_t negative_planes(const struct digits *digits, uint32_t number)
{
    uint32_t value = 0;
    unsigned shift = 0;
    for (unsigned field = 0; field < DIGITS_FIELDS; field++) {
        unsigned columns = digits->power[field], prime = digits_prime[field];
        for (unsigned j = 0; j < columns; j++, number /= prime)
            for (unsigned i = 0; i < sparse_planes(field); i++)
                value |= ((prime - number % prime) % prime >> i & 1) << (shift + i * columns + j);
        shift += columns * sparse_planes(field);
    }
    return value;
}

/* ---- memory ---- */

/* Of a thread, for shard after shard: to ask the system for it each time would take a sixth of the build. */
struct radix_scratch {
    struct radix_scratch *next;
    struct radix_layout layout;
    struct hash128 *row;      /* one per planted key: the key, then its row */
    uint8_t *at;              /* at which number it is planted, below accept */
    struct sparse_row *list;  /* of a group, as they come */
    struct sparse_row *order; /* and sorted */
    uint32_t *bucket;
    uint16_t *number; /* one per slot */
    uint64_t *cell;   /* of one field */
    size_t slots, cells, buckets;
};

/* Of the field that takes most, in the group that has most slots. */
static size_t most_cells(const struct dpset *dpset)
{
    size_t most = 0;
    for (uint32_t i = 0; i < dpset->groups; i++)
        for (unsigned field = 0; field < DIGITS_FIELDS; field++) {
            size_t cells = dpset->group[i].slots * sparse_words(field, dpset->band);
            most = dpset->digits[i].power[field] && cells > most ? cells : most;
        }
    return most;
}

static void scratch_free(const struct mem *mem, struct radix_scratch *scratch)
{
    if (!scratch)
        return;
    size_t most = scratch->layout.group[0].most;
    mem_free(mem, scratch->row, most, sizeof *scratch->row);
    mem_free(mem, scratch->at, most, sizeof *scratch->at);
    mem_free(mem, scratch->list, most, sizeof *scratch->list);
    mem_free(mem, scratch->order, most, sizeof *scratch->order);
    mem_free(mem, scratch->bucket, scratch->buckets, sizeof *scratch->bucket);
    mem_free(mem, scratch->number, scratch->slots, sizeof *scratch->number);
    mem_free(mem, scratch->cell, scratch->cells, sizeof *scratch->cell);
    mem_free(mem, scratch, 1, sizeof *scratch);
}

static struct radix_scratch *scratch_new(const struct mem *mem, const struct dpset *dpset)
{
    const struct radix_design design = dpset_radix_design(dpset);
    struct radix_scratch *scratch = mem_alloc(mem, 1, sizeof *scratch);
    if (!scratch)
        return NULL;
    radix_layout(&design, dpset->n, &scratch->layout);
    size_t most = scratch->layout.group[0].most;
    for (uint32_t i = 0; i < dpset->groups; i++)
        scratch->slots = dpset->group[i].slots > scratch->slots ? dpset->group[i].slots : scratch->slots;
    scratch->cells = most_cells(dpset);
    scratch->buckets = (scratch->slots >> START_BITS) + 2;
    scratch->row = mem_alloc_dirty(mem, most, sizeof *scratch->row);
    scratch->at = mem_alloc_dirty(mem, most, sizeof *scratch->at);
    scratch->list = mem_alloc_dirty(mem, most, sizeof *scratch->list);
    scratch->order = mem_alloc_dirty(mem, most, sizeof *scratch->order);
    scratch->bucket = mem_alloc_dirty(mem, scratch->buckets, sizeof *scratch->bucket);
    scratch->number = mem_alloc_dirty(mem, scratch->slots, sizeof *scratch->number);
    scratch->cell = mem_alloc_dirty(mem, scratch->cells, sizeof *scratch->cell);
    if (scratch->row && scratch->at && scratch->list && scratch->order && scratch->bucket && scratch->number &&
        scratch->cell)
        return scratch;
    scratch_free(mem, scratch);
    return NULL;
}

static struct radix_scratch *scratch_take(struct radix_work *work, const struct mem *mem, const struct dpset *dpset)
{
    pthread_mutex_lock(&work->lock);
    struct radix_scratch *scratch = work->idle;
    if (scratch)
        work->idle = scratch->next;
    pthread_mutex_unlock(&work->lock);
    return scratch ? scratch : scratch_new(mem, dpset);
}

static void scratch_give(struct radix_work *work, struct radix_scratch *scratch)
{
    pthread_mutex_lock(&work->lock);
    scratch->next = work->idle;
    work->idle = scratch;
    pthread_mutex_unlock(&work->lock);
}

int radix_work_start(const struct uf_filter *filter, struct radix_work *out)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    pthread_mutex_init(&out->lock, NULL);
    for (uint32_t i = 0; i < dpset->groups; i++) {
        out->value[i] = mem_alloc_dirty(&filter->mem, dpset->radix[i], sizeof *out->value[i]);
        if (!out->value[i])
            return UF_ENOMEM;
        for (uint32_t number = 0; number < dpset->radix[i]; number++)
            out->value[i][number] = negative_planes(&dpset->digits[i], number);
        out->ratio[i] = digits_ratio(&dpset->digits[i]);
    }
    return UF_OK;
}

void radix_work_end(const struct uf_filter *filter, struct radix_work *work)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    for (uint32_t i = 0; i < dpset->groups; i++)
        mem_free(&filter->mem, work->value[i], dpset->radix[i], sizeof *work->value[i]);
    for (struct radix_scratch *next; work->idle; work->idle = next) {
        next = work->idle->next;
        scratch_free(&filter->mem, work->idle);
    }
    pthread_mutex_destroy(&work->lock);
}

/* A shard at work. */
struct shard {
    const struct dpset *dpset;
    const struct dpset_calls *calls;
    const struct radix_work *work;
    struct sampler *sampler;
    struct radix_scratch *scratch;
    uint32_t planted; /* keys that are */
};

/* ---- a try ---- */

/* All coins are drawn for every key, whether they are needed or not. 0: too many keys came out for a group. */
static int plant(struct shard *shard, const struct hash128 *keys, uint64_t count)
{
    const struct dpset *dpset = shard->dpset;
    uint32_t planted = 0, second = 0;
    for (uint64_t i = 0; i < count; i++) {
        int erased = sample_coin(shard->sampler, dpset->erase);
        uint8_t at = dpset->groups > 1 ? (uint8_t)sample_below(shard->sampler, dpset->accept) : 0;
        if (erased)
            continue;
        if (planted == shard->scratch->layout.group[0].most)
            return 0;
        shard->scratch->row[planted] = keys[i];
        shard->scratch->at[planted++] = at;
        second += at >= dpset->radix[1];
    }
    shard->planted = planted;
    return dpset->groups == 1 || second <= shard->scratch->layout.group[1].most;
}

/* The number whose digits are those of a less those of b. */
static uint32_t minus(const struct digits *digits, uint32_t a, uint32_t b)
{
    uint32_t number = 0, weight = 1;
    for (unsigned j = 0; j < digits->columns; j++) {
        uint32_t prime = digits_prime[digits_field(digits, j)];
        number += weight * ((a % prime + prime - b % prime) % prime);
        weight *= prime;
        a /= prime;
        b /= prime;
    }
    return number;
}

/* The rows of those that reach a group: all in the first, in the second those that the first did not decide. Numbers
 * below m are planted at 0 of the first group, others at 1, and at what is above m of the second. */
static uint32_t list_rows(struct shard *shard, uint32_t group)
{
    const struct dpset *dpset = shard->dpset;
    uint32_t rows = 0, radix = dpset->radix[1];
    for (uint32_t i = 0; i < shard->planted; i++) {
        struct radix_row row = radix_row(dpset, group, shard->scratch->row[i]);
        int deep = dpset->groups > 1 && shard->scratch->at[i] >= radix;
        if (group && !deep)
            continue;
        if (deep)
            row.print = minus(&dpset->digits[group], row.print, group ? shard->scratch->at[i] - radix : 1);
        shard->scratch->list[rows++] =
            (struct sparse_row){row.start, radix_terms(shard->scratch->row[i]), shard->work->value[group][row.print]};
    }
    return rows;
}

static void sort_rows(struct shard *shard, uint32_t rows)
{
    memset(shard->scratch->bucket, 0, shard->scratch->buckets * sizeof *shard->scratch->bucket);
    for (uint32_t i = 0; i < rows; i++)
        shard->scratch->bucket[(shard->scratch->list[i].start >> START_BITS) + 1]++;
    for (size_t i = 1; i < shard->scratch->buckets; i++)
        shard->scratch->bucket[i] += shard->scratch->bucket[i - 1];
    for (uint32_t i = 0; i < rows; i++)
        shard->scratch->order[shard->scratch->bucket[shard->scratch->list[i].start >> START_BITS]++] =
            shard->scratch->list[i];
}

static uint32_t draw_digits(void *ctx, uint32_t bound)
{
    return (uint32_t)sample_below(ctx, bound);
}

/* Field by field. 0: a row depends on others. */
static int solve_group(struct shard *shard, uint32_t group, uint32_t rows)
{
    const struct dpset *dpset = shard->dpset;
    const struct digits *digits = &dpset->digits[group];
    uint32_t slots = dpset->group[group].slots, weight = 1;
    unsigned shift = 0;
    memset(shard->scratch->number, 0, slots * sizeof *shard->scratch->number);
    for (unsigned field = 0; field < DIGITS_FIELDS; field++) {
        unsigned columns = digits->power[field];
        struct sparse system = {shard->scratch->cell, slots, field, dpset->band, columns, shift};
        if (!columns)
            continue;
        memset(shard->scratch->cell, 0, slots * sparse_words(field, dpset->band) * sizeof *shard->scratch->cell);
        if (sparse_add(&system, shard->scratch->order, rows) != rows)
            return 0;
        sparse_solve(&system, weight, draw_digits, shard->sampler, shard->scratch->number);
        shift += columns * sparse_planes(field);
        for (unsigned j = 0; j < columns; j++)
            weight *= digits_prime[field];
    }
    return 1;
}

static void pack_group(const struct shard *shard, uint32_t group, uint64_t *words)
{
    const struct digits *digits = &shard->dpset->digits[group];
    uint64_t bit = 0, end = (uint64_t)shard->dpset->group[group].slots / digits->numbers * digits->bits;
    memset(words, 0, (size_t)ceil_div(end, 64) * sizeof *words);
    for (const uint16_t *number = shard->scratch->number; bit < end; bit += digits->bits, number += digits->numbers) {
        uint64_t fraction = digits_pack(digits, shard->work->ratio[group], number), *at = words + bit / 64;
        *at |= fraction << bit % 64;
        if (bit % 64 + digits->bits > 64)
            at[1] |= fraction >> (64 - bit % 64);
    }
}

static int solve_groups(struct shard *shard, uint64_t *words)
{
    for (uint32_t i = 0; i < shard->dpset->groups; i++) {
        uint32_t rows = list_rows(shard, i);
        sort_rows(shard, rows);
        if (!solve_group(shard, i, rows))
            return 0;
        pack_group(shard, i, words + shard->dpset->group[i].offset);
    }
    return 1;
}

static int try_shard(struct shard *shard, uint64_t seed[2], const struct hash128 *keys, uint64_t count, uint64_t *words)
{
    for (int attempt = 0; attempt < DPSET_MOST_TRIES; attempt++) {
        seed[0] = sample_u64(shard->sampler);
        seed[1] = sample_u64(shard->sampler);
        int fits = plant(shard, keys, count);
        if (shard->sampler->status != UF_OK)
            return shard->sampler->status;
        if (!fits && attempt == 0)
            return RADIX_CROWDED;
        if (!fits)
            continue;
        shard->calls->rows(shard->dpset, seed, shard->scratch->row, shard->planted, shard->scratch->row);
        if (solve_groups(shard, words))
            return UF_OK;
    }
    return UF_EBUILD;
}

int radix_shard(const struct uf_filter *filter, const struct dpset_calls *calls, struct radix_work *work,
                struct sampler *sampler, uint32_t index, const struct hash128 *keys, uint64_t count)
{
    struct shard shard = {
        .dpset = CONST_PARAMS(struct dpset, filter), .calls = calls, .work = work, .sampler = sampler};
    shard.scratch = scratch_take(work, &filter->mem, shard.dpset);
    if (!shard.scratch)
        return UF_ENOMEM;
    int status =
        try_shard(&shard, filter->words + DPSET_SEED_WORDS * (size_t)index, keys, count, dpset_shard(filter, index));
    scratch_give(work, shard.scratch);
    return status;
}
