/* SPDX-License-Identifier: MIT */
/*
 * Estimates of how many keys two filters have, have in common and have together are as close as they say: over 300
 * pairs per row (3,000 with UF_TEST_FULL=1, 100 with UF_TEST_SMALL=1), each with a seed of its own, the distance from
 * the truth in stated standard deviations has a mean within 4 sigma of 0 and a standard deviation between 0.9 and 1,
 * give or take 4 sigma of what so many pairs leave open: so the bars are wide enough, and not merely wide.
 *
 * The control is the same test against a truth that is off by one standard deviation, which must be rejected; and
 * against bars of half the width, likewise.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ultrafilter.h"

enum { FIGURES = 4 };

static unsigned pairs_wanted(void)
{
    return getenv("UF_TEST_SMALL") ? 100 : getenv("UF_TEST_FULL") ? 3000 : 300;
}

static void must(int status, const uf_error *why)
{
    if (status == UF_OK)
        return;
    (void)fprintf(stderr, "stat_overlap: %s\n", why->text);
    exit(2);
}

/* Keys `from` up to `to`. */
static uf_filter *filter_of(const char *kind, unsigned seed, uint64_t from, uint64_t to)
{
    char text[128];
    uf_spec spec;
    uf_filter *filter = NULL;
    uf_error why;
    (void)snprintf(text, sizeof text, "%s,seed=0x%x", kind, seed);
    must(uf_spec_parse(text, &spec, &why), &why);
    must(uf_build(&spec, NULL, 0, NULL, &filter, &why), &why);
    for (uint64_t key = from; key < to; key++)
        must(uf_insert(filter, (uf_key){&key, sizeof key}, &why), &why);
    return filter;
}

struct row {
    const char *kind;
    uint64_t first, second, both;
    double sum[FIGURES], squares[FIGURES];
};

static void measure(struct row *row)
{
    const double truth[FIGURES] = {(double)row->first, (double)row->second, (double)row->both,
                                   (double)(row->first + row->second - row->both)};
    for (unsigned i = 0; i < pairs_wanted(); i++) {
        uf_filter *a = filter_of(row->kind, 0x0be71a9 + i, 0, row->first);
        uf_filter *b =
            filter_of(row->kind, 0x0be71a9 + i, row->first - row->both, row->first - row->both + row->second);
        uf_overlap o;
        uf_error why;
        must(uf_get_overlap(a, b, &o, sizeof o, &why), &why);
        const double value[FIGURES] = {o.first, o.second, o.both, o.either};
        const double error[FIGURES] = {o.first_error, o.second_error, o.both_error, o.either_error};
        for (unsigned f = 0; f < FIGURES; f++) {
            double away = (value[f] - truth[f]) / error[f];
            row->sum[f] += away;
            row->squares[f] += away * away;
        }
        uf_free(a);
        uf_free(b);
    }
}

/* With estimates moved by so many standard deviations, and bars so many times as wide. */
static int accepted(const struct row *row, unsigned figure, double moved, double wide)
{
    const double pairs = pairs_wanted(), mean = row->sum[figure] / pairs;
    const double deviation = sqrt(row->squares[figure] / pairs - mean * mean) / wide, slack = 4 / sqrt(2 * pairs);
    return fabs(mean + moved) / wide < 4 / sqrt(pairs) && deviation < 1 + slack && deviation > 0.9 - slack;
}

static int report(const struct row *row)
{
    static const char *const names[FIGURES] = {"first", "second", "both", "either"};
    int good = 1;
    for (unsigned f = 0; f < FIGURES; f++) {
        const double pairs = pairs_wanted(), mean = row->sum[f] / pairs;
        const int fine = accepted(row, f, 0, 1), control = !accepted(row, f, 1, 1) && !accepted(row, f, 0, 0.5);
        printf("%-28s %-7s mean %+.3f  deviation %.3f  %s, control %s\n", row->kind, names[f], mean,
               sqrt(row->squares[f] / pairs - mean * mean), fine ? "ok" : "OUT", control ? "rejected" : "NOT REJECTED");
        good &= fine && control;
    }
    return good;
}

int main(void)
{
    struct row rows[] = {
        {"bloom:n=3000,fpr=0.01", 1000, 1500, 200, {0}, {0}},
        {"bloom:n=1500,fpr=0.01", 1000, 1000, 0, {0}, {0}},
        {"bloom:n=1500,fpr=0.1", 1000, 900, 800, {0}, {0}},
        {"blocked:n=3000,fpr=0.01", 1000, 1500, 200, {0}, {0}},
        {"blocked:n=2000,fpr=0.0001", 1000, 1500, 800, {0}, {0}},
        {"counting:n=3000,fpr=0.01", 1000, 1500, 200, {0}, {0}},
        {"deletable:n=3000,fpr=0.01", 1000, 1500, 200, {0}, {0}},
    };
    int good = 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        measure(&rows[i]);
        good &= report(&rows[i]);
    }
    return good ? 0 : 1;
}
