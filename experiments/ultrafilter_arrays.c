/* SPDX-License-Identifier: MIT */
#define UF_EXPERIMENTAL /* uf_distance */
#include "ultrafilter_arrays.h"

#include <math.h>
#include <stdlib.h>

#include "random_strings.h"

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

struct arrays {
    uf_filter *exact, *other; /* of two sets that share no key, with the same hashes */
    double keys, bits;
    unsigned k;
};

static int fill_array(const uf_spec *spec, const char *strings, size_t count, const uf_context *ctx, uf_filter **out,
                      uf_error *why)
{
    int status = uf_build(spec, NULL, 0, ctx, out, why);
    if (status != UF_OK)
        return status;
    status = uf_insert_fixed(*out, strings, STRING_BYTES, count, NULL);
    return status == UF_OK ? UF_OK : experiment_fail(why, status);
}

static int make_arrays(const struct setup *setup, enum variant variant, const uf_context *ctx, struct arrays *out,
                       uf_error *why)
{
    struct stream stream;
    uf_spec spec = grid_spec(variant, setup->keys, 0);
    size_t count = (size_t)setup->keys;
    uf_info info;
    int status = experiment_fail(why, UF_ENOMEM);
    *out = (struct arrays){.keys = (double)count, .k = variant == VARIANT_BLOOM_ONE ? 1 : 10};
    char *strings =
        stream_open(&stream, setup->trials.seed, UINT64_MAX) ? NULL : random_strings_make(&stream, 2 * setup->keys);
    if (strings)
        status = fill_array(&spec, strings, count, ctx, &out->exact, why);
    if (status == UF_OK) {
        uf_get_plan(out->exact, &spec); /* the seed is part of it */
        status = fill_array(&spec, strings + count * STRING_BYTES, count, ctx, &out->other, why);
    }
    if (status == UF_OK) {
        uf_get_info(out->exact, &info, sizeof info);
        out->bits = (double)info.bits;
    }
    free(strings);
    return status;
}

static void free_arrays(struct arrays *arrays)
{
    uf_free(arrays->exact);
    uf_free(arrays->other);
}

static double share_of_bits(const struct arrays *arrays, const uf_filter *a, const uf_filter *b)
{
    uint64_t bits;
    return uf_distance(a, b, &bits) == UF_OK ? (double)bits / arrays->bits : NAN;
}

/* The reconstruction error of one release: its distance from the exact array over m. */
static int fill_release(struct row *row, size_t column, const struct arrays *arrays, const char *how, double want,
                        const uf_context *ctx, uf_error *why)
{
    uf_spec spec;
    uf_filter *released = NULL;
    int status = uf_spec_parse(how, &spec, why);
    if (status == UF_OK)
        status = uf_release(arrays->exact, &spec, ctx, &released, why);
    if (status != UF_OK)
        return status;
    row_check(row, column, share_of_bits(arrays, arrays->exact, released), want, rate_tolerance(want, arrays->bits));
    row_show(row, column + 1, want);
    uf_free(released);
    return UF_OK;
}

static int fill_errors(struct report *report, struct table *table, const struct arrays *arrays, double epsilon,
                       const uf_context *ctx, uf_error *why)
{
    double fill = fill_of(arrays->keys, arrays->bits, arrays->k), keep = keep_of(epsilon);
    char first[TABLE_LABEL], second[TABLE_LABEL], how[96];
    (void)snprintf(first, sizeof first, "%g", epsilon);
    (void)snprintf(second, sizeof second, "l = %u", arrays->k);
    struct row *row = table_row(report, table, first, second);
    row_show(row, 0, keep);
    (void)snprintf(how, sizeof how, "ultra:mechanism=published,epsilon=%g", epsilon);
    int status = fill_release(row, 1, arrays, how, fill * (1 - keep), ctx, why);
    (void)snprintf(how, sizeof how, "ultra:epsilon=%g", epsilon);
    if (status == UF_OK && epsilon >= UF_EPSILON_LEAST)
        status = fill_release(row, 3, arrays, how, 1 - keep_of(epsilon / arrays->k), ctx, why);
    return status;
}

/* The fill wanders, too, with a standard deviation below that of independent bits. */
static void fill_strangers(struct report *report, struct table *table, const struct arrays *arrays)
{
    double fill = fill_of(arrays->keys, arrays->bits, arrays->k), want = 2 * fill * (1 - fill);
    char second[TABLE_LABEL];
    (void)snprintf(second, sizeof second, "l = %u", arrays->k);
    struct row *row = table_row(report, table, "two sets", second);
    row_show(row, 0, 1);
    row_check(row, 1, share_of_bits(arrays, arrays->exact, arrays->other), want, rate_tolerance(want, arrays->bits));
    row_show(row, 2, want);
}

static int reconstruct_with(const struct setup *setup, enum variant variant, const uf_context *ctx,
                            struct report *report, struct table *table, uf_error *why)
{
    struct arrays arrays;
    int status = make_arrays(setup, variant, ctx, &arrays, why);
    for (unsigned i = 0; i <= 5 && status == UF_OK; i++)
        status = fill_errors(report, table, &arrays, grid_epsilon[i], ctx, why);
    if (status == UF_OK)
        fill_strangers(report, table, &arrays);
    free_arrays(&arrays);
    return status;
}

int arrays_reconstruct(const struct setup *setup, struct report *report, uf_error *why)
{
    static const char *const columns[] = {"bound", "published", "formula", "rr", "rr formula", NULL};
    struct stream stream;
    uf_context ctx;
    struct table *table = report_table(report, "reconstruction",
                                       "Reconstruction error: bits that differ from the exact array, over m", columns);
    table->head[0] = "epsilon";
    table->note =
        "Bound: definition 6.1, e^eps / (e^eps + 1), and for two sets definition 6.2, which is 1. It holds, and grows\n"
        "with epsilon, while the distance falls: z (1 - p) for the published code, 1 / (1 + e^(eps/l)) for rr.";
    if (trials_context(&setup->trials, UINT64_MAX - 1, &stream, &ctx) != UF_OK)
        return experiment_fail(why, UF_ERANDOM);
    ctx.threads = setup->trials.threads;
    int status = reconstruct_with(setup, VARIANT_BLOOM_ONE, &ctx, report, table, why);
    if (status == UF_OK)
        status = reconstruct_with(setup, VARIANT_BLOOM_TEN, &ctx, report, table, why);
    return status;
}
