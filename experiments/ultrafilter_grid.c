/* SPDX-License-Identifier: MIT */
#include "ultrafilter_grid.h"

#include <math.h>
#include <stdlib.h>

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

/* An array of so many hashes and every noisy copy of it; or, with 0 hashes, a dpset file. */
struct job {
    unsigned hashes, phi, repeat;
    unsigned epsilon; /* of a dpset file */
};

struct work {
    struct grid *grid;
    const struct hashed_keys *keys;
    struct job *job;
    size_t jobs;
    unsigned hashes[VARIANTS][EPSILONS]; /* 0: not wanted, or no array */
};

/* Tables 2 to 4 need epsilon 1 to 4 at each occupancy, table 1 and the figures all at the full one. */
static int is_wanted(enum variant variant, unsigned phi, unsigned epsilon)
{
    if (!has_noise(variant))
        return epsilon == 0;
    return can(variant, grid_epsilon[epsilon]) && (phi == FULL || (epsilon >= 1 && epsilon <= 4));
}

/* What the paper printed is measured as often as it did: with as many queries as keys, small sets several times, on
 * other keys. What it is compared with needs a quarter of the queries for the fourth digit, and its tolerances say so.
 */
static int is_papers(enum variant variant)
{
    return variant == VARIANT_BLOOM_ONE || variant == VARIANT_PAPER;
}

static unsigned repeats(unsigned phi, unsigned hashes)
{
    return hashes == 1 ? (unsigned)(1 / grid_phi[phi] + 1e-9) : 1;
}

/* The rates of dpset depend on neither n nor the occupancy, and its time does on n: an eighth of it, but for tests. */
static uint64_t dpset_keys(uint64_t keys)
{
    return keys > 8 * 4096 ? keys / 8 : keys < 4096 ? keys : 4096;
}

static double number_of(const uf_spec *plan, const char *name)
{
    double value;
    return uf_spec_get(plan, name, &value) == UF_OK ? value : NAN;
}

/* Positions of a key in the arrays of a variant. */
static unsigned hashes_of(enum variant variant, uint64_t keys, unsigned epsilon)
{
    uf_spec plan = grid_spec(variant, keys, grid_epsilon[epsilon]);
    switch (variant) {
    case VARIANT_BLOOM_ONE:
    case VARIANT_PAPER:
        return 1; /* ten equal ones */
    case VARIANT_BLOOM_TEN:
    case VARIANT_TEN:
        return 10;
    case VARIANT_RR:
        return uf_plan(&plan, &plan, NULL) == UF_OK ? (unsigned)number_of(&plan, "k") : 0;
    default:
        return 0;
    }
}

static void list_hashes(struct work *work)
{
    for (enum variant variant = 0; variant < VARIANTS; variant++)
        for (unsigned epsilon = 0; epsilon < EPSILONS; epsilon++)
            if (is_wanted(variant, FULL, epsilon))
                work->hashes[variant][epsilon] = hashes_of(variant, work->grid->keys, epsilon);
}

static int has_hashes(const struct work *work, unsigned phi, unsigned hashes)
{
    for (enum variant variant = 0; variant < VARIANTS; variant++)
        for (unsigned epsilon = 0; epsilon < EPSILONS; epsilon++)
            if (work->hashes[variant][epsilon] == hashes && is_wanted(variant, phi, epsilon))
                return 1;
    return 0;
}

/* The longest first: the full arrays, which have the most copies. */
static int list_jobs(struct work *work)
{
    enum { MOST_HASHES = 64 };
    work->job = malloc(sizeof *work->job * PHIS * (EPSILONS + MOST_HASHES) * repeats(0, 1));
    if (!work->job)
        return UF_ENOMEM;
    list_hashes(work);
    for (unsigned phi = PHIS; phi-- > 0;) {
        for (unsigned hashes = 1; hashes < MOST_HASHES; hashes++)
            for (unsigned repeat = 0; repeat < repeats(phi, hashes) && has_hashes(work, phi, hashes); repeat++)
                work->job[work->jobs++] = (struct job){hashes, phi, repeat, 0};
        for (unsigned epsilon = 0; epsilon < EPSILONS; epsilon++)
            if (is_wanted(VARIANT_DPSET, phi, epsilon))
                work->job[work->jobs++] = (struct job){0, phi, 0, epsilon};
    }
    return UF_OK;
}

/* What a job asks about: as many members as others. */
struct sample {
    const uf_digest *members, *others;
    uint64_t count;
};

static struct sample sample_of(const struct work *work, const struct job *job, uint64_t keys)
{
    const uint64_t count = (uint64_t)((double)keys * grid_phi[job->phi]), from = job->repeat * count;
    return (struct sample){work->keys->members + from, work->keys->others + from, count};
}

/* An array knows the digests; a dpset file has a hash of its own, and the digest of a string is its key there. */
static uint64_t count_accepted(const uf_filter *filter, int is_array, const uf_digest *keys, uint64_t count)
{
    enum { STEP = 4096 };
    uint8_t answers[STEP];
    uint64_t accepted = 0;
    for (uint64_t from = 0; from < count; from += STEP) {
        size_t step = count - from < STEP ? (size_t)(count - from) : STEP;
        if (is_array)
            (void)uf_query_digests(filter, keys + from, step, answers, NULL);
        else
            uf_query_fixed(filter, keys + from, sizeof *keys, step, answers);
        for (size_t i = 0; i < step; i++)
            accepted += answers[i];
    }
    return accepted;
}

static void count_cell(struct counts *counts, const uf_filter *filter, int is_array, const struct sample *sample)
{
    uint64_t found = count_accepted(filter, is_array, sample->members, sample->count);
    uint64_t accepted = count_accepted(filter, is_array, sample->others, sample->count);
    __atomic_fetch_add(&counts->members, sample->count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counts->missed, sample->count - found, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counts->others, sample->count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counts->accepted, accepted, __ATOMIC_RELAXED);
}

/* A noisy copy of an array; of rr with the threshold of its plan. */
static uf_spec release_spec(enum variant variant, uint64_t keys, unsigned epsilon)
{
    uf_spec plan = grid_spec(variant, keys, grid_epsilon[epsilon]), how;
    if (variant == VARIANT_RR && uf_plan(&plan, &plan, NULL) == UF_OK)
        (void)snprintf(how.text, sizeof how.text, "ultra:mechanism=rr,epsilon=%g,t=%g", grid_epsilon[epsilon],
                       number_of(&plan, "t"));
    else
        (void)snprintf(how.text, sizeof how.text, "ultra:mechanism=published,epsilon=%g", grid_epsilon[epsilon]);
    return how;
}

static int count_copy(const struct work *work, const struct job *job, enum variant variant, unsigned epsilon,
                      const uf_filter *exact, const struct sample *sample, const uf_context *ctx, uf_error *why)
{
    struct counts *counts = &work->grid->at[variant][job->phi][epsilon];
    const uint64_t quarter = work->grid->keys / 4;
    struct sample asked = *sample;
    uf_filter *copy = NULL;
    if (!is_papers(variant) && asked.count > quarter)
        asked.count = quarter;
    if (!has_noise(variant)) {
        count_cell(counts, exact, 1, &asked);
        return UF_OK;
    }
    uf_spec how = release_spec(variant, work->grid->keys, epsilon);
    int status = uf_release(exact, &how, ctx, &copy, why);
    if (status == UF_OK)
        count_cell(counts, copy, 1, &asked);
    uf_free(copy);
    return status;
}

static int run_array(const struct work *work, const struct job *job, const uf_context *ctx, uf_error *why)
{
    const struct sample sample = sample_of(work, job, work->grid->keys);
    uf_filter *exact = NULL;
    int status = hashed_array(work->keys, job->hashes, sample.members, sample.count, ctx, &exact, why);
    for (enum variant variant = 0; status == UF_OK && variant < VARIANTS; variant++)
        for (unsigned epsilon = 0; status == UF_OK && epsilon < EPSILONS; epsilon++)
            if (work->hashes[variant][epsilon] == job->hashes && is_wanted(variant, job->phi, epsilon) &&
                (!job->repeat || is_papers(variant)))
                status = count_copy(work, job, variant, epsilon, exact, &sample, ctx, why);
    uf_free(exact);
    return status;
}

static int run_dpset(const struct work *work, const struct job *job, const uf_context *ctx, uf_error *why)
{
    const uint64_t keys = dpset_keys(work->grid->keys);
    const struct sample sample = sample_of(work, job, keys);
    uf_spec spec = grid_spec(VARIANT_DPSET, keys, grid_epsilon[job->epsilon]);
    uf_builder *builder = NULL;
    uf_filter *filter = NULL;
    int status = uf_builder_new(&spec, ctx, &builder, why);
    if (status == UF_OK) {
        (void)uf_builder_add_fixed(builder, sample.members, sizeof *sample.members, (size_t)sample.count,
                                   NULL); /* finish says what went wrong */
        status = uf_builder_finish(builder, &filter, why);
    }
    uf_builder_free(builder);
    if (status == UF_OK)
        count_cell(&work->grid->at[VARIANT_DPSET][job->phi][job->epsilon], filter, 0, &sample);
    uf_free(filter);
    return status;
}

static int run_job(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    const struct work *work = arg;
    const struct job *job = &work->job[number];
    return job->hashes ? run_array(work, job, ctx, why) : run_dpset(work, job, ctx, why);
}

int grid_measure(const struct setup *setup, const struct hashed_keys *keys, struct grid *out, uf_error *why)
{
    struct work work = {.grid = out, .keys = keys};
    struct trials trials = setup->trials;
    *out = (struct grid){.keys = setup->keys};
    int status = list_jobs(&work);
    trials.count = work.jobs;
    status = status == UF_OK ? trials_run(&trials, run_job, &work, why) : experiment_fail(why, status);
    free(work.job);
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
    uf_spec plan =
        grid_spec(variant, variant == VARIANT_DPSET ? dpset_keys(grid->keys) : grid->keys, grid_epsilon[epsilon]);
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
