/* SPDX-License-Identifier: MIT */
/*
 * What removals do to the rates, against the formulas of docs/kinds.md, which are written down here once more: before
 * any and after half of the keys were removed, the share of strangers that are accepted, of members that are missed,
 * and of removals that are refused must be within 3 standard deviations. Beside each stands a formula that must be
 * rejected on the very same filters. usage: stat_remove [SEED]
 *
 * 20 filters of 10^4 keys and 2 * 10^5 queries of each (a tenth of that with UF_TEST_SMALL=1, 10^5 keys with
 * UF_TEST_FULL=1); seeds are fixed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sample.h"
#include "ultrafilter.h"

static double of_plan(const char *request, const char *name)
{
    uf_spec spec;
    double value = NAN;
    if (uf_spec_parse(request, &spec, NULL) == UF_OK && uf_plan(&spec, &spec, NULL) == UF_OK)
        (void)uf_spec_get(&spec, name, &value);
    return value;
}

/* ---- the formulas ---- */

static double hit(double n, double part)
{
    return 1 - pow(1 - 1 / part, n);
}

/* No cell of a key's region is hit twice by n keys: j others fall into it, and all are different. */
static double unshared(double n, double part, double region)
{
    double sum = 0, different = 1;
    for (double j = 0; j < region && j < n; j++) {
        double log_chance =
            lgamma(n) - lgamma(j + 1) - lgamma(n - j) + j * log(region / part) + (n - 1 - j) * log(1 - region / part);
        different *= 1 - j / region;
        sum += exp(log_chance) * different;
    }
    return sum;
}

/* What is expected of n keys, d of them removed. */
struct expected {
    double accepted, missed, refused;
    double wrong; /* a rate of acceptance that must be rejected */
};

/* As if the removed keys had never been there. Wrong: as if they still were. */
static struct expected of_counting(const char *spec, double n, double d)
{
    double k = of_plan(spec, "k"), part = of_plan(spec, "bits") / k / 4;
    return (struct expected){pow(hit(n - d, part), k), 0, 0, pow(hit(n, part), k)};
}

/* Shared bits stay. Wrong: as if they did not. */
static struct expected of_deletable(const char *spec, double n, double d)
{
    double k = of_plan(spec, "k"), region = of_plan(spec, "region");
    double part = of_plan(spec, "bits") / k / (region + 1) * region, own = unshared(n, part, region);
    return (struct expected){pow(hit(n, part) - d * own / part, k), 0, d > 0 ? pow(1 - own, k) : 0,
                             pow(hit(n - d, part), k)};
}

/* Members are never fewer; those removed hide some, and a hidden one is refused. Wrong: as if the removed were out. */
static struct expected of_tombstone(const char *spec, double n, double d)
{
    double k = of_plan(spec, "k"), removed_k = of_plan(spec, "removed_k");
    double removed_part = of_plan(spec, "removed_bits") / removed_k;
    double part = (of_plan(spec, "bits") - of_plan(spec, "removed_bits")) / k, refused = 0;
    double hidden = pow(hit(d, removed_part), removed_k);
    for (double j = 0; j < d; j++)
        refused += pow(hit(j, removed_part), removed_k) / d;
    return (struct expected){pow(hit(n, part), k) * (1 - hidden), hidden, refused, pow(hit(n - d, part), k)};
}

/* ---- cells ---- */

static int judge(const char *what, const struct share *share, double trials, double rate)
{
    double distance = rate > 0 ? share_distance(share, trials, rate) : share->measured > 0 ? INFINITY : 0;
    int good = fabs(distance) <= SIGMAS;
    printf("    %-9s %-10.5g expected %-10.5g %+6.2f sigma  %s\n", what, share->measured, rate, distance,
           good ? "ok" : "OUT");
    return good;
}

static int must_reject(const char *what, const struct share *share, double trials, double rate)
{
    double distance = share_distance(share, trials, rate);
    int good = fabs(distance) > SIGMAS;
    printf("    %-20s must not be %-10.5g %+6.1f sigma  %s\n", what, rate, distance, good ? "ok" : "NOT REJECTED");
    return good;
}

static uint64_t keys(void)
{
    return getenv("UF_TEST_SMALL") ? 1000 : getenv("UF_TEST_FULL") ? 100000 : 10000;
}

typedef struct expected formula(const char *spec, double n, double d);

static int check_cell(const char *parameters, formula *of, uint64_t removes, uint64_t seed)
{
    char spec[128];
    uint64_t n = keys();
    (void)snprintf(spec, sizeof spec, parameters, (unsigned long long)n);
    struct request request = {
        .spec = spec, .members = n, .removes = removes, .filters = 20, .queries = 20 * n, .seed = seed};
    struct sample sample = sample_take(&request);
    struct expected expected = of(spec, (double)n, (double)removes);
    struct share accepted = {sample.measured, sample.spread};
    double queries = (double)request.filters * (double)request.queries,
           left = (double)request.filters * (double)(n - removes);
    printf("%s, %llu of %llu removed\n", spec, (unsigned long long)removes, (unsigned long long)n);
    int good = judge("accepted", &accepted, queries, expected.accepted);
    good &= judge("missed", &sample.missed, left, expected.missed);
    if (!removes)
        return good;
    good &= judge("refused", &sample.refused, (double)request.filters * (double)removes, expected.refused);
    return good & must_reject("accepted: control", &accepted, queries, expected.wrong);
}

/* The flags of regions of 3 are not those of single bits; half the removals do not hide as much as all would. */
static int check_controls(uint64_t seed)
{
    char spec[128];
    uint64_t n = keys();
    struct request request = {.spec = spec, .members = n, .removes = n / 2, .filters = 20, .queries = n, .seed = seed};
    (void)snprintf(spec, sizeof spec, "deletable:n=%llu,fpr=0.01,region=3", (unsigned long long)n);
    double k = of_plan(spec, "k"), part = of_plan(spec, "bits") / k / 4 * 3;
    struct sample flags = sample_take(&request);
    int good =
        must_reject("refused: control", &flags.refused, 10 * (double)n, pow(1 - unshared((double)n, part, 1), k));
    (void)snprintf(spec, sizeof spec, "tombstone:n=%llu,fpr=0.1", (unsigned long long)n);
    struct sample hiding = sample_take(&request);
    return good & must_reject("missed: control", &hiding.missed, 10 * (double)n, of_plan(spec, "fnr"));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *spec;
        formula *of;
    } cells[] = {
        {"counting:n=%llu,fpr=0.1", of_counting},
        {"counting:n=%llu,fpr=0.01", of_counting},
        {"deletable:n=%llu,fpr=0.1", of_deletable},
        {"deletable:n=%llu,fpr=0.01", of_deletable},
        {"deletable:n=%llu,fpr=0.01,region=1", of_deletable},
        {"deletable:n=%llu,fpr=0.01,region=16", of_deletable},
        {"tombstone:n=%llu,fpr=0.1", of_tombstone},
        {"tombstone:n=%llu,fpr=0.01", of_tombstone},
        {"tombstone:n=%llu,fpr=0.01,removed=1000,fnr=0.05", of_tombstone}, /* more removed than planned */
    };
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 0x4e40e;
    int good = 1;
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        good &= check_cell(cells[i].spec, cells[i].of, 0, seed + 1000 * i);
        good &= check_cell(cells[i].spec, cells[i].of, keys() / 2, seed + 1000 * i + 500);
    }
    good &= check_controls(seed + 100000);
    printf(good ? "all within %d sigma, and no control is\n" : "NOT all within %d sigma, or a control is\n", SIGMAS);
    return good ? 0 : 1;
}
