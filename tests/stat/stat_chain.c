/* SPDX-License-Identifier: MIT */
/*
 * A filter that grows (full=scale) accepts no more strangers than it was planned to, however many levels it has: after
 * each time that its last level is full the measured rate is at most the planned one and 3 standard deviations. The
 * first level has 1,000 keys; 7 levels, 127,000 keys, each asked for 250,000 strangers, 10 levels and 10^7 with
 * UF_TEST_FULL=1, 6 levels and 10^5 with UF_TEST_SMALL=1. Each row is four filters with seeds of their own; the
 * standard deviation is that of so many queries at the planned rate or that between filters, whichever is larger.
 *
 * The same goes for a window of as many generations, each filled with 1,000 keys.
 *
 * The control is the same chain without tightening: levels of the first one's rate side by side, of which the same test
 * must reject all that have more than two.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ultrafilter.h"

enum { FIRST = 1000, FILTERS = 4, MOST_LEVELS = 10, BATCH = 1000, SIGMAS = 3 };

static unsigned levels_wanted(void)
{
    return getenv("UF_TEST_SMALL") ? 6 : getenv("UF_TEST_FULL") ? 10 : 7;
}

static uint64_t queries_wanted(void)
{
    return getenv("UF_TEST_SMALL") ? 100000 : getenv("UF_TEST_FULL") ? 10000000 : 250000;
}

static void must(int status, const uf_error *why)
{
    if (status == UF_OK)
        return;
    (void)fprintf(stderr, "stat_chain: %s\n", why->text);
    exit(2);
}

static uf_filter *new_filter(const char *kind, uint64_t n, double fpr, const char *full, unsigned seed)
{
    char text[128];
    uf_spec spec;
    uf_filter *filter = NULL;
    uf_error why;
    (void)snprintf(text, sizeof text, "%s:n=%llu,fpr=%g,full=%s,seed=0x%x", kind, (unsigned long long)n, fpr, full,
                   seed);
    must(uf_spec_parse(text, &spec, &why), &why);
    must(uf_build(&spec, NULL, 0, NULL, &filter, &why), &why);
    return filter;
}

/* Keys `from` up to `to`. */
static void insert(uf_filter *filter, uint64_t from, uint64_t to)
{
    uint64_t keys[BATCH];
    while (from < to) {
        size_t count = 0;
        for (; count < BATCH && from < to; count++)
            keys[count] = from++;
        must(uf_insert_fixed(filter, keys, sizeof keys[0], count, NULL), &(uf_error){0, 0, "an insert failed"});
    }
}

/* The share of strangers that one of the filters accepts. */
static double ask(uf_filter *const *filters, unsigned count, uint64_t queries)
{
    uint64_t keys[BATCH], hits = 0;
    uint8_t any[BATCH], here[BATCH];
    for (uint64_t at = 0; at < queries; at += BATCH) {
        for (size_t i = 0; i < BATCH; i++) {
            keys[i] = UINT64_C(1) << 60 | (at + i);
            any[i] = 0;
        }
        for (unsigned f = 0; f < count; f++) {
            uf_query_fixed(filters[f], keys, sizeof keys[0], BATCH, here);
            for (size_t i = 0; i < BATCH; i++)
                any[i] |= here[i];
        }
        for (size_t i = 0; i < BATCH; i++)
            hits += any[i];
    }
    return (double)hits / (double)queries;
}

struct row {
    double sum, squares; /* of the rates of so many filters */
    unsigned levels;
};

static void add(struct row *row, double rate)
{
    row->sum += rate;
    row->squares += rate * rate;
}

/* How many standard deviations the mean is above the planned rate. */
static double distance(const struct row *row, double planned, double queries)
{
    double mean = row->sum / FILTERS, between = fmax(row->squares / FILTERS - mean * mean, 0) / (FILTERS - 1);
    return (mean - planned) / sqrt(fmax(between, planned * (1 - planned) / queries / FILTERS));
}

static uint64_t keys_of(unsigned levels)
{
    return FIRST * ((UINT64_C(1) << levels) - 1);
}

/* The rate each time that `levels` levels are full. */
static void measure_chain(const char *kind, double fpr, unsigned seed, struct row *rows)
{
    uf_filter *filter = new_filter(kind, FIRST, fpr, "scale", seed);
    for (unsigned level = 1; level <= levels_wanted(); level++) {
        uf_info info;
        insert(filter, keys_of(level - 1), keys_of(level));
        add(&rows[level - 1], ask(&filter, 1, queries_wanted()));
        uf_get_info(filter, &info, sizeof info);
        rows[level - 1].levels = info.levels;
    }
    uf_free(filter);
}

/* The rate when all generations are full. */
static void measure_window(const char *kind, double fpr, unsigned seed, struct row *row)
{
    char full[32];
    (void)snprintf(full, sizeof full, "refuse,window=%u", levels_wanted());
    uf_filter *filter = new_filter(kind, FIRST, fpr, full, seed);
    for (unsigned level = 1; level <= levels_wanted(); level++) {
        must(uf_rotate(filter, NULL), &(uf_error){0, 0, "a rotation failed"});
        insert(filter, FIRST * (level - 1), FIRST * level);
    }
    add(row, ask(&filter, 1, queries_wanted()));
    row->levels = levels_wanted();
    uf_free(filter);
}

static void measure_control(const char *kind, double fpr, unsigned seed, struct row *rows)
{
    uf_filter *filter[MOST_LEVELS];
    for (unsigned level = 1; level <= levels_wanted(); level++) {
        filter[level - 1] = new_filter(kind, keys_of(level) - keys_of(level - 1), fpr / 2, "warn", seed + level);
        insert(filter[level - 1], keys_of(level - 1), keys_of(level));
        add(&rows[level - 1], ask(filter, level, queries_wanted()));
        rows[level - 1].levels = level;
    }
    for (unsigned level = 0; level < levels_wanted(); level++)
        uf_free(filter[level]);
}

static int report(const char *what, const char *kind, double fpr, const struct row *rows, int control)
{
    int good = 1;
    for (unsigned i = 0; i < levels_wanted(); i++) {
        double away = distance(&rows[i], fpr, (double)queries_wanted());
        int fine = control ? i < 2 || away > SIGMAS : away <= SIGMAS && rows[i].levels == i + 1;
        printf("%-8s %-8s %-6g %8llu keys %2u levels  measured %-10.5g (%+.1f sigma)  %s\n", what, kind, fpr,
               (unsigned long long)keys_of(i + 1), rows[i].levels, rows[i].sum / FILTERS, away, fine ? "ok" : "OUT");
        good &= fine;
    }
    return good;
}

static int report_window(const char *kind, double fpr, const struct row *row)
{
    double away = distance(row, fpr, (double)queries_wanted());
    printf("%-8s %-8s %-6g %8u keys %2u generations  measured %-10.5g (%+.1f sigma)  %s\n", "window", kind, fpr,
           FIRST * row->levels, row->levels, row->sum / FILTERS, away, away <= SIGMAS ? "ok" : "OUT");
    return away <= SIGMAS;
}

static int check(const char *kind, double fpr)
{
    struct row chain[MOST_LEVELS] = {{0, 0, 0}}, control[MOST_LEVELS] = {{0, 0, 0}};
    struct row window = {0, 0, 0};
    for (unsigned i = 0; i < FILTERS; i++) {
        measure_chain(kind, fpr, 0xc4a10 + 64 * i, chain);
        measure_window(kind, fpr, 0xd4700 + 64 * i, &window);
        measure_control(kind, fpr, 0xc0700 + 64 * i, control);
    }
    int good = report("chain", kind, fpr, chain, 0);
    good &= report_window(kind, fpr, &window);
    return report("control", kind, fpr, control, 1) && good;
}

int main(void)
{
    int good = check("bloom", 0.01);
    good &= check("blocked", 0.01);
    return good ? 0 : 1;
}
