/* SPDX-License-Identifier: MIT */
/*
 * Controls: what the test of rates must reject, with the same sample and the same bound as stat_fpr, and beside each
 * the plan that it must accept on the very same filters. If a control passes, the test of rates proves nothing.
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

static uint64_t size(void)
{
    return getenv("UF_TEST_SMALL") ? 10000 : 100000;
}

/* 1 when the sample's own plan is accepted and the wrong rate rejected. */
static int rejects(const char *what, const struct request *request, double wrong)
{
    struct sample sample = sample_take(request);
    double right = sample_distance(&sample, request, sample.planned), away = sample_distance(&sample, request, wrong);
    int good = fabs(right) <= SIGMAS && fabs(away) > SIGMAS;
    printf("%-44s measured %-9.4g planned %-9.4g (%+.2f sigma) wrong %-9.4g (%+.1f sigma)  %s\n", what, sample.measured,
           sample.planned, right, wrong, away, good ? "ok" : "NOT REJECTED");
    return good;
}

/* Blocks fill unevenly, which the classic formula forgets; at few bits per key that shows most. */
static int control_classic_formula(double bits_per_key)
{
    char spec[128], what[64];
    uint64_t n = size();
    (void)snprintf(spec, sizeof spec, "blocked:n=%llu,bits_per_key=%g", (unsigned long long)n, bits_per_key);
    (void)snprintf(what, sizeof what, "blocked, %g bits per key, classic formula", bits_per_key);
    double k = of_plan(spec, "k"), bits = of_plan(spec, "bits");
    double classic = pow(-expm1(-k * (double)n / bits), k);
    struct request request = {.spec = spec, .members = n, .filters = 20, .queries = n, .seed = 0xc0de};
    return rejects(what, &request, classic);
}

/* A filter of 10 % fewer bits than its plan says. */
static int control_fewer_bits(const char *kind)
{
    char spec[128], what[64];
    uint64_t n = size();
    (void)snprintf(spec, sizeof spec, "%s:n=%llu,fpr=0.01", kind, (unsigned long long)n);
    double promised = of_plan(spec, "fpr"), bits = floor(0.9 * of_plan(spec, "bits"));
    (void)snprintf(spec, sizeof spec, "%s:n=%llu,bits=%.0f", kind, (unsigned long long)n, bits);
    (void)snprintf(what, sizeof what, "%s, 10 %% fewer bits", kind);
    struct request request = {.spec = spec, .members = n, .filters = 20, .queries = n, .seed = 0xfe3e};
    return rejects(what, &request, promised);
}

/* One position less, in as many bits, at twice the bits that the request needs. */
static int control_one_position_less(void)
{
    char spec[128];
    uint64_t n = size();
    (void)snprintf(spec, sizeof spec, "bloom:n=%llu,bits=%llu,k=4", (unsigned long long)n, (unsigned long long)n * 10);
    double promised = of_plan(spec, "fpr");
    (void)snprintf(spec, sizeof spec, "bloom:n=%llu,bits=%llu,k=3", (unsigned long long)n, (unsigned long long)n * 10);
    struct request request = {.spec = spec, .members = n, .filters = 20, .queries = n, .seed = 0xbad};
    return rejects("bloom, one position less", &request, promised);
}

/* A tenth more keys than planned for, in a filter that grows: measured against its plan it must be out. */
static int control_more_keys(const char *kind)
{
    char spec[128];
    uint64_t n = size();
    (void)snprintf(spec, sizeof spec, "%s:n=%llu,fpr=0.01", kind, (unsigned long long)n);
    struct request request = {.spec = spec, .members = n + n / 10, .filters = 20, .queries = n, .seed = 0x0ddf};
    struct sample sample = sample_take(&request);
    double away = sample_distance(&sample, &request, sample.planned);
    printf("%-8s with 10 %% more keys than planned:       measured %-9.4g planned %-9.4g (%+.1f sigma)  %s\n", kind,
           sample.measured, sample.planned, away, away > SIGMAS ? "ok" : "NOT REJECTED");
    return away > SIGMAS;
}

int main(void)
{
    int good = 1;
    good &= control_classic_formula(5);
    good &= control_classic_formula(8);
    good &= control_classic_formula(10.67);
    good &= control_fewer_bits("bloom");
    good &= control_fewer_bits("blocked");
    good &= control_fewer_bits("ribbon");
    good &= control_one_position_less();
    good &= control_more_keys("bloom");
    good &= control_more_keys("blocked");
    return good ? 0 : 1;
}
