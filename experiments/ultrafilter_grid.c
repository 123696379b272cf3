/* SPDX-License-Identifier: MIT */
#include "ultrafilter_grid.h"

#include <math.h>
#include <stdlib.h>

#include "random_strings.h"

const double grid_phi[PHIS] = {0.2, 0.4, 0.6, 0.8, 1};
const double grid_epsilon[EPSILONS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20};

const char *const variant_label[VARIANTS] = {
    "Bloom filter, l = 1", "Bloom filter, l = 10", "published code", "published, l = 10", "ultra, rr", "dpset"};

static int has_noise(enum variant variant)
{
    return variant != VARIANT_BLOOM_ONE && variant != VARIANT_BLOOM_TEN;
}

/* rr and dpset make a promise, and there is none at 0. */
static int can(enum variant variant, double epsilon)
{
    return (variant != VARIANT_RR && variant != VARIANT_DPSET) || epsilon >= UF_EPSILON_LEAST;
}

uf_spec grid_spec(enum variant variant, uint64_t keys, double epsilon)
{
    static const char *const begins[VARIANTS] = {"bloom:k=1",
                                                 "bloom:k=10",
                                                 "ultra:mechanism=published,hashes=paper,k=10",
                                                 "ultra:mechanism=published,k=10",
                                                 "ultra:mechanism=rr",
                                                 "dpset:variant=dyadic"};
    char bits[40] = "", noise[40] = "";
    uf_spec spec;
    if (variant != VARIANT_DPSET)
        (void)snprintf(bits, sizeof bits, ",bits=%llu", (unsigned long long)keys * GRID_BITS_PER_KEY);
    if (has_noise(variant))
        (void)snprintf(noise, sizeof noise, ",epsilon=%g", epsilon);
    (void)snprintf(spec.text, sizeof spec.text, "%s,n=%llu%s%s", begins[variant], (unsigned long long)keys, bits,
                   noise);
    return spec;
}

/* ---- measuring ---- */

struct job {
    enum variant variant;
    unsigned phi, epsilon, repeat;
};

struct work {
    struct grid *grid;
    struct job *job;
    size_t jobs;
    char *members, *others; /* grid->keys strings each */
};

/* Tables 2 to 4 need epsilon 1 to 4 at each occupancy, table 1 and the figures all at the full one. */
static int is_wanted(enum variant variant, unsigned phi, unsigned epsilon)
{
    if (!has_noise(variant))
        return epsilon == 0;
    return can(variant, grid_epsilon[epsilon]) && (phi == FULL || (epsilon >= 1 && epsilon <= 4));
}

/* Small sets are measured several times, on other keys, so that each number comes from about as many queries. */
static unsigned repeats(unsigned phi)
{
    return (unsigned)(1 / grid_phi[phi] + 1e-9);
}

static int list_jobs(struct work *work)
{
    work->job = malloc(sizeof *work->job * VARIANTS * PHIS * EPSILONS * repeats(0));
    if (!work->job)
        return UF_ENOMEM;
    for (unsigned phi = 0; phi < PHIS; phi++)
        for (unsigned epsilon = 0; epsilon < EPSILONS; epsilon++)
            for (enum variant variant = 0; variant < VARIANTS; variant++)
                for (unsigned repeat = 0; repeat < repeats(phi) && is_wanted(variant, phi, epsilon); repeat++)
                    work->job[work->jobs++] = (struct job){variant, phi, epsilon, repeat};
    return UF_OK;
}

static uint64_t count_accepted(const uf_filter *filter, const char *strings, uint64_t count)
{
    enum { STEP = 4096 };
    uint8_t answers[STEP];
    uint64_t accepted = 0;
    for (uint64_t from = 0; from < count; from += STEP) {
        size_t step = count - from < STEP ? (size_t)(count - from) : STEP;
        uf_query_fixed(filter, strings + from * STRING_BYTES, STRING_BYTES, step, answers);
        for (size_t i = 0; i < step; i++)
            accepted += answers[i];
    }
    return accepted;
}

static int build(const uf_spec *spec, const char *strings, uint64_t count, const uf_context *ctx, uf_filter **out,
                 uf_error *why)
{
    uf_builder *builder = NULL;
    int status = uf_builder_new(spec, ctx, &builder, why);
    if (status == UF_OK) {
        (void)uf_builder_add_fixed(builder, strings, STRING_BYTES, (size_t)count,
                                   NULL); /* finish says what went wrong */
        status = uf_builder_finish(builder, out, why);
    }
    uf_builder_free(builder);
    return status;
}

static int run_job(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    struct work *work = arg;
    const struct job *job = &work->job[number];
    struct counts *counts = &work->grid->at[job->variant][job->phi][job->epsilon];
    uint64_t count = (uint64_t)((double)work->grid->keys * grid_phi[job->phi]), from = job->repeat * count;
    uf_spec spec = grid_spec(job->variant, work->grid->keys, grid_epsilon[job->epsilon]);
    uf_filter *filter = NULL;
    int status = build(&spec, work->members + from * STRING_BYTES, count, ctx, &filter, why);
    if (status != UF_OK)
        return status;
    uint64_t found = count_accepted(filter, work->members + from * STRING_BYTES, count);
    uint64_t accepted = count_accepted(filter, work->others + from * STRING_BYTES, count);
    uf_free(filter);
    __atomic_fetch_add(&counts->members, count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counts->missed, count - found, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counts->others, count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counts->accepted, accepted, __ATOMIC_RELAXED);
    return UF_OK;
}

static int prepare(const struct setup *setup, struct work *work)
{
    struct stream stream;
    if (stream_open(&stream, setup->trials.seed, UINT64_MAX))
        return UF_ERANDOM;
    work->members = random_strings_make(&stream, setup->keys);
    work->others = random_strings_make(&stream, setup->keys);
    return work->members && work->others ? list_jobs(work) : UF_ENOMEM;
}

int grid_measure(const struct setup *setup, struct grid *out, uf_error *why)
{
    struct work work = {.grid = out};
    struct trials trials = setup->trials;
    *out = (struct grid){.keys = setup->keys};
    int status = prepare(setup, &work);
    trials.count = work.jobs;
    status = status == UF_OK ? trials_run(&trials, run_job, &work, why) : experiment_fail(why, status);
    free(work.job);
    free(work.others);
    free(work.members);
    return status;
}

/* ---- reading ---- */

struct rates grid_rates(const struct grid *grid, enum variant variant, unsigned phi, unsigned epsilon)
{
    const struct counts *counts = &grid->at[variant][phi][epsilon];
    if (!counts->members)
        return (struct rates){NAN, NAN};
    return (struct rates){(double)counts->accepted / (double)counts->others,
                          (double)counts->missed / (double)counts->members};
}

static double number_of(const uf_spec *plan, const char *name)
{
    double value;
    return uf_spec_get(plan, name, &value) == UF_OK ? value : NAN;
}

/* P[accept | other] is the share of accepted values; a member is planted, or left out with e^-epsilon. */
static struct rates dpset_expected(const uf_spec *plan, double epsilon)
{
    double f = ldexp(number_of(plan, "accept"), -(int)number_of(plan, "columns"));
    return (struct rates){f, exp(-epsilon) * (1 - f)};
}

struct rates grid_expected(const struct grid *grid, enum variant variant, unsigned phi, unsigned epsilon)
{
    double keys = floor((double)grid->keys * grid_phi[phi]), bits = (double)grid->keys * GRID_BITS_PER_KEY;
    double keep = keep_of(grid_epsilon[epsilon]);
    uf_spec plan = grid_spec(variant, grid->keys, grid_epsilon[epsilon]);
    switch (variant) {
    case VARIANT_BLOOM_ONE:
        return array_rates(keys, bits, 1, 1, 1, 0);
    case VARIANT_BLOOM_TEN:
        return array_rates(keys, bits, 10, 10, 1, 0);
    case VARIANT_PAPER:
        return array_rates(keys, bits, 1, 1, keep, 0);
    case VARIANT_TEN:
        return array_rates(keys, bits, 10, 10, keep, 0);
    default:
        break;
    }
    if (uf_plan(&plan, &plan, NULL) != UF_OK)
        return (struct rates){NAN, NAN};
    if (variant == VARIANT_DPSET)
        return dpset_expected(&plan, grid_epsilon[epsilon]);
    double k = number_of(&plan, "k"), bit = keep_of(grid_epsilon[epsilon] / k);
    return array_rates(keys, bits, (unsigned)k, (unsigned)number_of(&plan, "t"), bit, 1 - bit);
}
