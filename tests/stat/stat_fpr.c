/* SPDX-License-Identifier: MIT */
/*
 * The measured false-positive rate is the planned one, within 3 standard deviations, for a kind over all rates and
 * sizes. usage: stat_fpr KIND [SEED]
 *
 * Sizes go to 10^5 keys, to 10^7 with UF_TEST_FULL=1, to 10^4 with UF_TEST_SMALL=1 and for kinds that take their
 * positions from bloom; what removals do to those is in stat_remove.c. Seeds are fixed, so that a result
 * is the same every time; with 3 sigma one cell in 370 would be out by chance, and other seeds (SEED) tell chance from
 * error. The controls that must fail are in stat_controls.c.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

static const double rates[] = {0.5, 0.1, 0.01, 0.001, 1e-4, 1e-6};
static const uint64_t sizes[] = {1, 2, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

enum { RATES = sizeof rates / sizeof rates[0], SIZES = sizeof sizes / sizeof sizes[0] };

enum extent { SMALL, SHORT, FULL };

static int repeats_bloom(const char *kind)
{
    return !strcmp(kind, "counting") || !strcmp(kind, "deletable") || !strcmp(kind, "tombstone");
}

static enum extent extent_of(const char *kind)
{
    int small = getenv("UF_TEST_SMALL") || (repeats_bloom(kind) && !getenv("UF_TEST_FULL"));
    return small ? SMALL : getenv("UF_TEST_FULL") ? FULL : SHORT;
}

/* Low rates need many queries, so they are measured at small sizes only; one key in a million at three of them. */
static int wanted(enum extent extent, double fpr, uint64_t n)
{
    static const uint64_t largest[] = {10000, 100000, 10000000};
    if (n > largest[extent])
        return 0;
    return fpr > 1e-5 || (extent != SMALL && (n == 10 || n == 100 || n == 1000));
}

/* How many filters, and how many queries of each: small filters vary, so there are many of them. */
static void choose_size(enum extent extent, struct request *request, double fpr)
{
    static const double work[] = {3e5, 1.5e6, 4e7}; /* keys built and asked for in a cell */
    double keys = work[extent] * (fpr < 1e-5 ? 12 : 1), n = (double)request->members;
    double filters = fmin(fmax(keys / 4 / n, 3), extent == SMALL ? 100 : 400);
    request->filters = (uint64_t)filters;
    request->queries = (uint64_t)fmax(keys / filters - n, fmax(n, 1000));
}

/* DCSO's hash is weak on keys that count up (measured: 0.13 where 0.1 was planned), so it is held to a factor of two,
 * and only where it has a few thousand bits. */
static int is_loose(const char *kind)
{
    return !strcmp(kind, "dcso");
}

static int check_cell(enum extent extent, const char *kind, double fpr, uint64_t n, uint64_t seed)
{
    char spec[128];
    struct request request = {.spec = spec, .members = n, .seed = seed};
    (void)snprintf(spec, sizeof spec, "%s:n=%llu,fpr=%g", kind, (unsigned long long)n, fpr);
    choose_size(extent, &request, fpr);
    struct sample sample = sample_take(&request);
    double distance = sample_distance(&sample, &request, sample.planned);
    int good = fabs(distance) <= SIGMAS;
    if (is_loose(kind))
        good = sample.measured > fpr / 2 && sample.measured < fpr * 2;
    printf("%-8s %-7g %9llu %7llu %9llu  %-11.5g %-11.5g %-9.2g %+6.2f  %s\n", kind, fpr, (unsigned long long)n,
           (unsigned long long)request.filters, (unsigned long long)request.queries, sample.planned, sample.measured,
           sample.spread, distance, good ? "ok" : "OUT");
    return good;
}

int main(int argc, char **argv)
{
    unsigned cells = 0, bad = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: stat_fpr KIND [SEED]\n");
        return 2;
    }
    enum extent extent = extent_of(argv[1]);
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x5eed0000;
    printf("kind     fpr             n filters   queries  planned     measured    sigma      sigmas\n");
    for (size_t r = 0; r < RATES; r++)
        for (size_t s = 0; s < SIZES; s++) {
            if (!wanted(extent, rates[r], sizes[s]) || (is_loose(argv[1]) && (sizes[s] < 1000 || rates[r] < 1e-5)))
                continue;
            cells++;
            bad += !check_cell(extent, argv[1], rates[r], sizes[s], seed + 100000 * cells);
        }
    printf("%u of %u cells are within %d sigma of the plan\n", cells - bad, cells, SIGMAS);
    return cells && !bad ? 0 : 1;
}
