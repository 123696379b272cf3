/* SPDX-License-Identifier: MIT */
/*
 * uf_bench_changes: test-and-add beside a query and an insert, single inserts beside batches of one key, for keys of 8
 * and of 50 bytes; and columns of strings of 16 to 40 bytes beside arrays of uf_key and single calls. Best of several
 * runs, each into an empty filter; half of the keys come a second time. usage: uf_bench_changes [KEYS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "quick.h"

struct work {
    const struct keys *keys;
    uf_key *array;    /* the keys, as uf_key */
    int32_t *offsets; /* the keys, as a column */
    uint8_t *answers;
    int8_t *verdict;
};

enum { BATCH = 1024 };

typedef void change(uf_filter *filter, const struct work *work, size_t from, size_t count);

static void insert_batch(uf_filter *filter, const struct work *work, size_t from, size_t count)
{
    (void)uf_insert_many(filter, work->array + from, count, NULL);
}

static void query_and_insert_batch(uf_filter *filter, const struct work *work, size_t from, size_t count)
{
    uf_query_many(filter, work->array + from, count, work->answers);
    (void)uf_insert_many(filter, work->array + from, count, NULL);
}

static void add_batch(uf_filter *filter, const struct work *work, size_t from, size_t count)
{
    (void)uf_add_many(filter, work->array + from, count, work->verdict, NULL);
}

static void insert_batches_of_one(uf_filter *filter, const struct work *work, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++)
        (void)uf_insert_many(filter, work->array + i, 1, NULL);
}

static void insert_single(uf_filter *filter, const struct work *work, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++)
        (void)uf_insert(filter, work->array[i], NULL);
}

static void query_and_insert_single(uf_filter *filter, const struct work *work, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++) {
        work->answers[0] = (uint8_t)uf_query(filter, work->array[i]);
        (void)uf_insert(filter, work->array[i], NULL);
    }
}

static void add_single(uf_filter *filter, const struct work *work, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++)
        work->verdict[0] = (int8_t)uf_add(filter, work->array[i], NULL);
}

/* What a host without the calls for columns does. */
static uf_key *array_of_column(const struct work *work, size_t from, size_t count)
{
    uf_key *keys = malloc(count * sizeof *keys);
    if (!keys) {
        quick_stop("no memory for keys");
    }
    for (size_t i = 0; i < count; i++) {
        const int32_t *offset = work->offsets + from + i;
        keys[i] = (uf_key){work->keys->at + offset[0], (size_t)(offset[1] - offset[0])};
    }
    return keys;
}

static void query_array(uf_filter *filter, const struct work *work, size_t from, size_t count)
{
    uf_key *keys = array_of_column(work, from, count);
    uf_query_many(filter, keys, count, work->answers);
    free(keys);
}

static void query_single(uf_filter *filter, const struct work *work, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++)
        work->answers[i] = (uint8_t)uf_query(filter, work->array[i]);
}

static void query_column(uf_filter *filter, const struct work *work, size_t from, size_t count)
{
    (void)uf_query_offsets(filter, work->keys->at, work->offsets + from, 4, count, work->answers);
}

static void add_array(uf_filter *filter, const struct work *work, size_t from, size_t count)
{
    uf_key *keys = array_of_column(work, from, count);
    (void)uf_add_many(filter, keys, count, work->verdict, NULL);
    free(keys);
}

static void add_column(uf_filter *filter, const struct work *work, size_t from, size_t count)
{
    (void)uf_add_offsets(filter, work->keys->at, work->offsets + from, 4, count, work->verdict, NULL);
}

static uf_filter *empty(const char *text, uint64_t n)
{
    char full[128];
    uf_spec spec;
    uf_filter *filter;
    uf_error why;
    snprintf(full, sizeof full, text, (unsigned long long)n);
    if (uf_spec_parse(full, &spec, &why) || uf_build(&spec, NULL, 0, NULL, &filter, &why)) {
        quick_stop(why.text);
    }
    return filter;
}

/* All keys once and the first half again: nanoseconds per key. */
static double measure(const char *spec, const struct work *work, size_t batch, change *run_batch)
{
    size_t count = (size_t)work->keys->count, half = count / 2;
    double best = INFINITY;
    for (int run = 0; run < QUICK_RUNS; run++) {
        uf_filter *filter = empty(spec, count);
        insert_batch(filter, work, 0, BATCH); /* the first insert looks at the fill, and touches the pages */
        double start = clock_ns();
        for (size_t done = 0, now; done < count + half; done += now) {
            size_t from = done < count ? done : done - count, left = done < count ? count - done : count + half - done;
            now = left < batch ? left : batch;
            run_batch(filter, work, from, now);
        }
        best = fmin(best, (clock_ns() - start) / (double)(count + half));
        uf_free(filter);
    }
    return best;
}

static void compare_adds(const char *name, const char *spec, const struct work *work)
{
    double insert = measure(spec, work, BATCH, insert_batch);
    double both = measure(spec, work, BATCH, query_and_insert_batch), add = measure(spec, work, BATCH, add_batch);
    printf("%-20s %7.1f %7.1f %7.1f (%4.2f x)", name, insert, both, add, both / add);
    double of_one = measure(spec, work, BATCH, insert_batches_of_one);
    insert = measure(spec, work, BATCH, insert_single);
    both = measure(spec, work, BATCH, query_and_insert_single);
    add = measure(spec, work, BATCH, add_single);
    printf("   %7.1f %7.1f %7.1f %7.1f (%4.2f x)\n", of_one, insert, both, add, both / add);
}

static void compare_columns(const char *name, const char *spec, const struct work *work)
{
    size_t all = (size_t)work->keys->count;
    double single = measure(spec, work, all, query_single);
    double array = measure(spec, work, all, query_array), column = measure(spec, work, all, query_column);
    printf("%-20s %7.1f %7.1f %7.1f (%4.2f x)", name, single, array, column, array / column);
    single = measure(spec, work, all, add_single);
    array = measure(spec, work, all, add_array), column = measure(spec, work, all, add_column);
    printf("   %7.1f %7.1f %7.1f (%4.2f x)\n", single, array, column, array / column);
}

static void *get(size_t count, size_t each)
{
    void *memory = malloc(count * each);
    if (!memory) {
        quick_stop("no memory for keys");
    }
    return memory;
}

static struct work work_make(struct keys *keys, uint64_t n, size_t width)
{
    size_t count = (size_t)n;
    if (keys_make(keys, 0, n, width)) {
        quick_stop("no memory for keys");
    }
    struct work work = {keys, get(count, sizeof(uf_key)), get(count + 1, sizeof(int32_t)), get(count, 1),
                        get(count, 1)};
    for (size_t i = 0; i <= count; i++) {
        work.offsets[i] = (int32_t)(i * width);
        if (i < count) {
            work.array[i] = (uf_key){keys->at + i * width, width};
        }
    }
    return work;
}

/* Makes strings of different lengths of them: each keeps its end, which tells it from the others, and they close up. */
static void shorten(struct work *work)
{
    const struct keys *keys = work->keys;
    unsigned char *to = keys->at;
    for (size_t i = 0; i < keys->count; i++) {
        size_t bytes = KEYS_TEXT_MIN + i * 7 % (keys->width - KEYS_TEXT_MIN + 1);
        memmove(to, keys->at + (i + 1) * keys->width - bytes, bytes);
        work->array[i] = (uf_key){to, bytes};
        to += bytes;
        work->offsets[i + 1] = (int32_t)(to - keys->at);
    }
}

static void work_free(struct work *work, struct keys *keys)
{
    free(work->array);
    free(work->offsets);
    free(work->answers);
    free(work->verdict);
    keys_free(keys);
}

static const struct {
    const char *name, *spec;
} filters[] = {
    {"blocked", "blocked:n=%llu,fpr=0.01"},
    {"blocked, refuse", "blocked:n=%llu,fpr=0.01,full=refuse"},
    {"blocked, scale", "blocked:n=%llu,fpr=0.01,full=scale"},
    {"bloom", "bloom:n=%llu,fpr=0.01"},
    {"counting", "counting:n=%llu,fpr=0.01"},
    {"deletable", "deletable:n=%llu,fpr=0.01"},
    {"tombstone", "tombstone:n=%llu,fpr=0.01"},
};

static void adds_of_width(uint64_t n, size_t width, size_t kinds)
{
    struct keys keys;
    struct work work = work_make(&keys, n, width);
    printf("%llu keys of %zu bytes, half of them twice: ns per key, one thread\n", (unsigned long long)n, width);
    printf("%-20s %-35s   %s\n", "", "in batches", "one by one");
    printf("%-20s  insert  +query     add             of one  insert  +query     add\n", "");
    for (size_t i = 0; i < kinds; i++) {
        compare_adds(filters[i].name, filters[i].spec, &work);
    }
    work_free(&work, &keys);
}

int main(int count, char **words)
{
    uint64_t n = count > 1 ? (uint64_t)strtod(words[1], NULL) : 300000;
    struct keys keys;
    if (n < BATCH || n > 50000000) {
        quick_stop("KEYS is from 1024 to 5e7");
    }
    adds_of_width(n, 8, sizeof filters / sizeof filters[0]);
    adds_of_width(n, 50, 1);
    struct work work = work_make(&keys, n, 40);
    shorten(&work);
    printf("a column of as many strings of 16 to 40 bytes: one by one, as an array of uf_key made from it, as it is\n");
    printf("%-20s   query   array  column              add   array  column\n", "");
    compare_columns(filters[0].name, filters[0].spec, &work);
    compare_columns("bloom", filters[3].spec, &work);
    work_free(&work, &keys);
    return 0;
}
