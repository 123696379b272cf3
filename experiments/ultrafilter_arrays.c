/* SPDX-License-Identifier: MIT */
#define UF_EXPERIMENTAL /* uf_distance */
#include "ultrafilter_arrays.h"

#include <math.h>

/* ---- equations ---- */

/* Equation and measurement side by side, of one hash and of ten. */
static void fill_pair(struct row *row, size_t column, double equation, double measured)
{
    row_show(row, column, equation);
    row_show(row, column + 1, measured);
}

static void equations_by_epsilon(struct report *report, const struct grid *grid)
{
    static const char *const columns[] = {"FP eq. 6", "FP", "FN eq. 8", "FN", NULL};
    struct table *table =
        report_table(report, "equations", "Equations 6 and 8 beside what was measured, phi = 1", columns);
    double n = (double)grid->keys, m = n * GRID_BITS_PER_KEY;
    table->head[0] = "epsilon";
    table->note =
        "Equation 6 is close to FP = p (1 - (1 - 1/m)^n) at l = 1 and wrong at l = 10, where FP = (p z)^l. Equation 8\n"
        "is no false-negative rate at all: FN = 1 - p^l, whatever n and m are.";
    for (unsigned i = 0; i <= 5; i++) {
        const unsigned hashes[] = {1, 10};
        const enum variant variants[] = {VARIANT_PAPER, VARIANT_TEN};
        for (unsigned h = 0; h < 2; h++) {
            struct rates measured = grid_rates(grid, variants[h], FULL, i);
            double p = keep_of(grid_epsilon[i]);
            char first[TABLE_LABEL] = "", second[TABLE_LABEL];
            if (!h)
                (void)snprintf(first, sizeof first, "%g", grid_epsilon[i]);
            (void)snprintf(second, sizeof second, "l = %u", hashes[h]);
            struct row *row = table_row(report, table, first, second);
            fill_pair(row, 0, paper_equation(p, n, m, hashes[h]), measured.fp);
            fill_pair(row, 2, paper_equation(1 - p, n, m, hashes[h]), measured.fn);
        }
    }
}

static void equations_by_phi(struct report *report, const struct grid *grid)
{
    static const char *const columns[] = {"FP eq. 5", "FP", "FP eq. 6", "FP eps 1", "FN eq. 8", "FN eps 1", NULL};
    struct table *table =
        report_table(report, "occupancy", "Equations 5, 6 and 8 over the occupancy, epsilon = 1", columns);
    double n = (double)grid->keys, m = n * GRID_BITS_PER_KEY, p = keep_of(1);
    table->head[0] = "phi";
    for (unsigned phi = 0; phi < PHIS; phi++)
        for (unsigned h = 0; h < 2; h++) {
            double l = h ? 10 : 1, keys = n * grid_phi[phi];
            struct rates bloom = grid_rates(grid, h ? VARIANT_BLOOM_TEN : VARIANT_BLOOM_ONE, phi, 0);
            struct rates noisy = grid_rates(grid, h ? VARIANT_TEN : VARIANT_PAPER, phi, 1);
            double want = paper_equation(1, keys, m, l);
            char first[TABLE_LABEL] = "";
            if (!h)
                (void)snprintf(first, sizeof first, "%g", grid_phi[phi]);
            struct row *row = table_row(report, table, first, h ? "l = 10" : "l = 1");
            row_show(row, 0, want);
            row_check(row, 1, bloom.fp, want, rate_tolerance(want, (double)grid->at[h][phi][0].others));
            fill_pair(row, 2, paper_equation(p, keys, m, l), noisy.fp);
            fill_pair(row, 4, paper_equation(1 - p, keys, m, l), noisy.fn);
        }
}

void arrays_equations(struct report *report, const struct grid *grid)
{
    equations_by_epsilon(report, grid);
    equations_by_phi(report, grid);
}

/* ---- distances ---- */

/* Two sets that share no key, x and y, with the same hashes. */
struct arrays {
    uf_filter *x, *y;
    double keys, bits, fill;
    unsigned k;
};

/* All four, of one hash and of ten, each by a thread of its own. */
struct filling {
    const struct hashed_keys *keys;
    struct arrays *arrays; /* two */
};

static int fill_one(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    const struct filling *filling = arg;
    const struct hashed_keys *keys = filling->keys;
    struct arrays *arrays = &filling->arrays[number / 2 % 2];
    return number % 2 ? hashed_array(keys, arrays->k, keys->others, keys->count, ctx, &arrays->y, why)
                      : hashed_array(keys, arrays->k, keys->members, keys->count, ctx, &arrays->x, why);
}

static int fill_arrays(const struct setup *setup, const struct hashed_keys *keys, struct arrays out[2], uf_error *why)
{
    const double n = (double)keys->count, bits = n * GRID_BITS_PER_KEY;
    struct filling filling = {keys, out};
    struct trials trials = setup->trials;
    for (unsigned i = 0; i < 2; i++) {
        const unsigned hashes = i ? 10 : 1;
        out[i] = (struct arrays){.keys = n, .bits = bits, .fill = fill_of(n, bits, hashes), .k = hashes};
    }
    trials.first = 0;
    trials.count = 4;
    trials.progress = NULL;
    return trials_run(&trials, fill_one, &filling, why);
}

static void free_arrays(struct arrays *arrays)
{
    uf_free(arrays->x);
    uf_free(arrays->y);
}

/* The fill wanders, too, with a standard deviation below that of independent bits. */
static void check_distance(struct row *row, size_t column, const struct arrays *arrays, const uf_filter *a,
                           const uf_filter *b, double want)
{
    uint64_t bits;
    double share = uf_distance(a, b, &bits) == UF_OK ? (double)bits / arrays->bits : NAN;
    row_check(row, column, share, want, rate_tolerance(want, arrays->bits));
}

/* What noise does to a bit: a one stays one with `keep`, a zero becomes one with `set`. */
struct noise {
    char how[96];
    double keep, set;
};

static struct noise published_noise(double epsilon)
{
    struct noise noise = {.keep = keep_of(epsilon), .set = 0};
    (void)snprintf(noise.how, sizeof noise.how, "ultra:mechanism=published,epsilon=%g", epsilon);
    return noise;
}

static struct noise rr_noise(double epsilon, unsigned hashes)
{
    double keep = keep_of(epsilon / hashes);
    struct noise noise = {.keep = keep, .set = 1 - keep};
    (void)snprintf(noise.how, sizeof noise.how, "ultra:epsilon=%g", epsilon);
    return noise;
}

/* Of two arrays with these shares of ones, bits that differ. */
static double apart(double one, double other)
{
    return one * (1 - other) + (1 - one) * other;
}

static int release(const uf_filter *exact, const struct noise *noise, const uf_context *ctx, uf_filter **out,
                   uf_error *why)
{
    uf_spec spec;
    int status = uf_spec_parse(noise->how, &spec, why);
    return status == UF_OK ? uf_release(exact, &spec, ctx, out, why) : status;
}

struct distances {
    struct report *report;
    struct table *errors, *pairs; /* made last, as the next one moves them */
    const uf_context *ctx;
    uf_error *why;
};

/* Definition 6.1 in columns of `errors`, definition 6.2 in a row of `pairs`: all with one release of each set, and two
 * of x. */
static int measure_noise(struct distances *out, const struct arrays *arrays, const struct noise *noise,
                         const char *const label[2], struct row *errors, size_t column)
{
    const double z = arrays->fill, noisy = z * noise->keep + (1 - z) * noise->set;
    const double again = 2 * (z * noise->keep * (1 - noise->keep) + (1 - z) * noise->set * (1 - noise->set));
    uf_filter *x = NULL, *y = NULL, *second = NULL;
    int status = release(arrays->x, noise, out->ctx, &x, out->why);
    if (status == UF_OK)
        status = release(arrays->y, noise, out->ctx, &y, out->why);
    if (status == UF_OK)
        status = release(arrays->x, noise, out->ctx, &second, out->why);
    if (status == UF_OK) {
        const double error = z * (1 - noise->keep) + (1 - z) * noise->set;
        check_distance(errors, column, arrays, arrays->x, x, error);
        row_show(errors, column + 1, error);
        struct row *row = table_row(out->report, out->pairs, label[0], label[1]);
        row_show(row, 0, 1);
        check_distance(row, 2, arrays, arrays->x, y, apart(z, noisy));
        check_distance(row, 3, arrays, x, arrays->y, apart(z, noisy));
        check_distance(row, 4, arrays, x, y, apart(noisy, noisy));
        check_distance(row, 5, arrays, x, second, again);
    }
    uf_free(x);
    uf_free(y);
    uf_free(second);
    return status;
}

static int measure_epsilon(struct distances *out, const struct arrays *arrays, double epsilon)
{
    char first[TABLE_LABEL], second[TABLE_LABEL], published[TABLE_LABEL], rr[TABLE_LABEL];
    (void)snprintf(first, sizeof first, "%g", epsilon);
    (void)snprintf(second, sizeof second, "l = %u", arrays->k);
    (void)snprintf(published, sizeof published, "published, l = %u", arrays->k);
    (void)snprintf(rr, sizeof rr, "rr, l = %u", arrays->k);
    struct row *errors = table_row(out->report, out->errors, first, second);
    struct noise noise = published_noise(epsilon);
    row_show(errors, 0, keep_of(epsilon));
    int status = measure_noise(out, arrays, &noise, (const char *const[]){first, published}, errors, 1);
    noise = rr_noise(epsilon, arrays->k);
    if (status == UF_OK && epsilon >= UF_EPSILON_LEAST)
        status = measure_noise(out, arrays, &noise, (const char *const[]){first, rr}, errors, 3);
    return status;
}

static int measure_arrays(struct distances *out, const struct arrays *arrays)
{
    char label[TABLE_LABEL];
    int status = UF_OK;
    (void)snprintf(label, sizeof label, "exact, l = %u", arrays->k);
    struct row *row = table_row(out->report, out->pairs, "none", label);
    row_show(row, 0, 1);
    check_distance(row, 1, arrays, arrays->x, arrays->y, apart(arrays->fill, arrays->fill));
    for (unsigned i = 0; i <= 5 && status == UF_OK; i++)
        status = measure_epsilon(out, arrays, grid_epsilon[i]);
    return status;
}

static struct distances open_tables(struct report *report, const uf_context *ctx, uf_error *why)
{
    static const char *const errors[] = {"bound", "published", "formula", "rr", "rr formula", NULL};
    static const char *const pairs[] = {"bound",        "BF(x) BF(y)", "BF(x) ^BF(y)", "^BF(x) BF(y)", "^BF(x) ^BF(y)",
                                        "^BF(x) twice", NULL};
    struct distances out = {.report = report, .ctx = ctx, .why = why};
    (void)report_table(report, "reconstruction", "Reconstruction error: bits that differ from the exact array, over m",
                       errors);
    out.pairs = report_table(report, "distances",
                             "Hamming distances of two sets x and y that share no key, over m; ^ is with noise", pairs);
    out.errors = report->out_of_memory ? out.pairs : out.pairs - 1;
    out.errors->head[0] = out.pairs->head[0] = "epsilon";
    out.errors->note = "Bound: definition 6.1 and equation 1, e^eps / (e^eps + 1). It holds, and grows with epsilon, "
                       "while the distance\n"
                       "falls: z (1 - p) for the published code, 1 / (1 + e^(eps/l)) for rr.";
    out.pairs->note =
        "Bound: definition 6.2 and equation 2, which is 1. Every pair is\n"
        "compared with z and the noise: a one stays with p, and of rr a zero becomes one with 1 - p. Noise brings\n"
        "arrays of the published code together and those of rr to one half apart. Twice: two releases of one set.";
    return out;
}

int arrays_distances(const struct setup *setup, const struct hashed_keys *keys, struct report *report, uf_error *why)
{
    struct stream stream;
    uf_context ctx;
    if (trials_context(&setup->trials, UINT64_MAX - 1, &stream, &ctx) != UF_OK)
        return experiment_fail(why, UF_ERANDOM);
    ctx.threads = setup->trials.threads;
    struct distances out = open_tables(report, &ctx, why);
    struct arrays arrays[2];
    int status = fill_arrays(setup, keys, arrays, why);
    for (unsigned i = 0; i < 2 && status == UF_OK; i++)
        status = measure_arrays(&out, &arrays[i]);
    for (unsigned i = 0; i < 2; i++)
        free_arrays(&arrays[i]);
    return status;
}
