/* SPDX-License-Identifier: MIT */
/*
 * The UltraFilter paper (K. Odoh, WWW Companion 2025): its tables 1 to 4 and figures 1 and 2 with the published code's
 * mechanism, beside the same mechanism with 10 hashes that differ, and beside what keeps the promise; the sum that
 * shows that no private mechanism can have such rates. Reconstruction errors and equations: ultrafilter_arrays.c.
 */
#include <math.h>
#include <stdlib.h>

#include "experiment.h"
#include "ultrafilter_arrays.h"
#include "ultrafilter_expected.h"
#include "ultrafilter_grid.h"

/* The paper's cells at the paper's size; sampling is what is wider at other sizes. */
static double paper_tolerance(const struct grid *grid)
{
    return PAPER_TOLERANCE * fmax(1, sqrt((double)PAPER_KEYS / (double)grid->keys));
}

static void number_label(char out[static TABLE_LABEL], double value)
{
    (void)snprintf(out, TABLE_LABEL, "%g", value);
}

enum measure { FP, FN, F1 };

static double pick(struct rates rates, enum measure measure)
{
    return measure == FP ? rates.fp : measure == FN ? rates.fn : f1_of(rates);
}

/* Shows a measured number and compares it with its formula; F1 follows from the two others. */
static void fill_measured(struct row *row, size_t column, const struct grid *grid, enum variant variant, unsigned phi,
                          unsigned epsilon, enum measure measure)
{
    double value = pick(grid_rates(grid, variant, phi, epsilon), measure);
    double want = pick(grid_expected(grid, variant, phi, epsilon), measure);
    double queries = (double)grid->at[variant][phi][epsilon].members;
    if (measure == F1 || isnan(value))
        row_show(row, column, value);
    else
        row_check(row, column, value, want, rate_tolerance(want, queries));
}

/* ---- table 1 ---- */

static unsigned epsilon_index(double epsilon)
{
    unsigned i = 0;
    while (i + 1 < EPSILONS && grid_epsilon[i] < epsilon)
        i++;
    return i;
}

static void add_table1(struct report *report, const struct grid *grid)
{
    static const char *const columns[] = {"FP", "FN", "F1", NULL};
    static const enum variant others[] = {VARIANT_TEN, VARIANT_RR, VARIANT_DPSET};
    struct table *table = report_table(report, "table1", "Table 1: noise, at full occupancy", columns);
    table->head[0] = "epsilon";
    table->note =
        "The published code has one hash function, not ten, and only clears bits: l = 10 shows what ten would do.\n"
        "Promises: none for published; epsilon per key for rr and dpset, which have none to make at 0.";
    for (size_t i = 0; i < sizeof paper_table1 / sizeof paper_table1[0]; i++) {
        const double printed[] = {paper_table1[i].fp, paper_table1[i].fn, paper_table1[i].f1};
        unsigned epsilon = epsilon_index(paper_table1[i].epsilon);
        char label[TABLE_LABEL];
        number_label(label, paper_table1[i].epsilon);
        struct row *row = table_row(report, table, label, "paper");
        for (size_t c = 0; c < 3; c++)
            row_show(row, c, printed[c]);
        row = table_row(report, table, "", variant_label[VARIANT_PAPER]);
        for (size_t c = 0; c < 3; c++)
            row_compare(report, table, row, c, pick(grid_rates(grid, VARIANT_PAPER, FULL, epsilon), (enum measure)c),
                        printed[c], paper_tolerance(grid));
        for (size_t w = 0; w < sizeof others / sizeof others[0]; w++) {
            row = table_row(report, table, "", variant_label[others[w]]);
            for (size_t c = 0; c < 3; c++)
                fill_measured(row, c, grid, others[w], FULL, epsilon, (enum measure)c);
        }
    }
}

/* ---- tables 2 to 4 ---- */

static void fill_paper_rows(struct report *report, struct table *table, const struct grid *grid, unsigned phi,
                            enum measure measure, const double printed[5])
{
    char label[TABLE_LABEL];
    number_label(label, grid_phi[phi]);
    struct row *row = table_row(report, table, label, "paper");
    for (size_t c = 0; c < 5; c++)
        row_show(row, c, printed[c]);
    row = table_row(report, table, "", variant_label[VARIANT_PAPER]);
    for (unsigned c = 0; c < 5; c++)
        row_compare(report, table, row, c,
                    pick(grid_rates(grid, c ? VARIANT_PAPER : VARIANT_BLOOM_ONE, phi, c), measure), printed[c],
                    paper_tolerance(grid));
}

static void fill_other_row(struct report *report, struct table *table, const struct grid *grid, unsigned phi,
                           enum measure measure, enum variant variant)
{
    struct row *row = table_row(report, table, "", variant_label[variant]);
    if (variant == VARIANT_TEN)
        fill_measured(row, 0, grid, VARIANT_BLOOM_TEN, phi, 0, measure);
    for (unsigned c = 1; c < 5; c++)
        fill_measured(row, c, grid, variant, phi, c, measure);
    for (unsigned c = 1; c < 5 && variant == VARIANT_TEN && phi == FULL && measure == F1; c++)
        row_check(row, c, row->cell[c].value, true_ten_f1[c - 1], 2 * paper_tolerance(grid)); /* a quarter asked */
}

static void fill_limit(struct report *report, struct table *table)
{
    struct row *row = table_row(report, table, "", "limit");
    for (unsigned c = 1; c < 5; c++)
        row_show(row, c, f1_limit(grid_epsilon[c]));
}

static void add_occupancy(struct report *report, const struct grid *grid, const char *name, const char *title,
                          enum measure measure, const double printed[PHIS][5])
{
    static const char *const columns[] = {"BF", "eps = 1", "eps = 2", "eps = 3", "eps = 4", NULL};
    struct table *table = report_table(report, name, title, columns);
    table->head[0] = "phi";
    for (unsigned phi = 0; phi < PHIS; phi++) {
        fill_paper_rows(report, table, grid, phi, measure, printed[phi]);
        for (enum variant variant = VARIANT_TEN; variant < VARIANTS; variant++)
            fill_other_row(report, table, grid, phi, measure, variant);
        if (measure == F1 && phi == FULL)
            fill_limit(report, table);
    }
    if (measure == F1)
        table->note =
            "BF: the standard Bloom filter. Limit: the best F1 of any filter with that epsilon per key. Where the\n"
            "published code is above it, its epsilon cannot be such a promise.";
}

/* ---- what the rates prove ---- */

/* The measured sum has e^epsilon times the error of FP. */
static double sum_tolerance(const struct grid *grid, double epsilon)
{
    return paper_tolerance(grid) * (1 + exp(epsilon)) / 2;
}

static void add_impossible(struct report *report, const struct grid *grid)
{
    static const char *const columns[] = {"eps = 1", "eps = 2", "eps = 3", "eps = 4", NULL};
    static const enum variant variants[] = {VARIANT_PAPER, VARIANT_TEN, VARIANT_RR, VARIANT_DPSET};
    struct table *table =
        report_table(report, "impossible", "FN + e^epsilon FP: at least 1 for every private mechanism", columns);
    table->head[0] = "phi";
    table->note =
        "Below 1, by more than the error of sampling, no mechanism with that epsilon can have these rates, whatever\n"
        "it does inside; dpset is at the limit. Above 1 proves nothing: in the published code's file every one\n"
        "still proves a member ('ultrafilter-lab audit' shows it).";
    for (unsigned phi = 0; phi < PHIS; phi++)
        for (size_t w = 0; w < sizeof variants / sizeof variants[0]; w++) {
            char label[TABLE_LABEL] = "";
            const double *want = phi == 0 ? impossible_low : impossible_full;
            if (!w)
                number_label(label, grid_phi[phi]);
            struct row *row = table_row(report, table, label, variant_label[variants[w]]);
            for (unsigned c = 0; c < 4; c++) {
                struct rates rates = grid_rates(grid, variants[w], phi, c + 1);
                double epsilon = grid_epsilon[c + 1], sum = rates.fn + exp(epsilon) * rates.fp;
                if (variants[w] == VARIANT_PAPER && (phi == 0 || phi == FULL))
                    row_check(row, c, sum, want[c], sum_tolerance(grid, epsilon));
                else
                    row_show(row, c, sum);
            }
        }
}

/* ---- figures ---- */

static double paper_f1_at(double epsilon)
{
    for (size_t i = 0; i < sizeof paper_table1 / sizeof paper_table1[0]; i++)
        if (paper_table1[i].epsilon == epsilon)
            return paper_table1[i].f1;
    return epsilon >= 1 && epsilon <= 4 ? paper_f1[FULL][(size_t)epsilon] : NAN;
}

static void add_figure1(struct report *report, const struct grid *grid)
{
    static const char *const columns[] = {"paper", "published", "l = 10", "rr", "dpset", "limit", "Bloom filter", NULL};
    struct table *table = report_table(report, "figure1", "", columns);
    table->head[0] = "epsilon";
    for (unsigned i = 0; i < EPSILONS; i++) {
        char label[TABLE_LABEL];
        number_label(label, grid_epsilon[i]);
        struct row *row = table_row(report, table, label, "");
        row_show(row, 0, paper_f1_at(grid_epsilon[i]));
        for (unsigned w = VARIANT_PAPER; w < VARIANTS; w++)
            row_show(row, w - VARIANT_PAPER + 1, f1_of(grid_rates(grid, (enum variant)w, FULL, i)));
        row_show(row, 5, f1_limit(grid_epsilon[i]));
        row_show(row, 6, f1_of(grid_rates(grid, VARIANT_BLOOM_ONE, FULL, 0)));
    }
}

static void add_figure2(struct report *report, const struct grid *grid)
{
    static const char *const columns[] = {
        "BF",       "eps = 1",       "eps = 2",       "eps = 3",       "eps = 4",
        "paper BF", "paper eps = 1", "paper eps = 2", "paper eps = 3", "paper eps = 4",
        NULL};
    struct table *table = report_table(report, "figure2", "", columns);
    table->head[0] = "phi";
    for (unsigned phi = 0; phi < PHIS; phi++) {
        char label[TABLE_LABEL];
        number_label(label, grid_phi[phi]);
        struct row *row = table_row(report, table, label, "");
        for (unsigned c = 0; c < 5; c++) {
            row_show(row, c, f1_of(grid_rates(grid, c ? VARIANT_PAPER : VARIANT_BLOOM_ONE, phi, c)));
            row_show(row, c + 5, paper_f1[phi][c]);
        }
    }
}

static const struct figure figures[] = {
    {"figure1",
     "set xlabel 'epsilon'\n"
     "set ylabel 'F1-score'\n"
     "set yrange [0:1.02]\n"
     "set key bottom right\n"
     "set title 'UltraFilter paper, figure 1: noise against F1'\n"
     "f = 'figure1.tsv'\n"
     "plot f using 1:9 with lines lw 2 dt 2 lc rgb '#777777' title 'standard Bloom filter', \\\n"
     "    f using 1:4 with linespoints pt 7 ps 0.5 lw 2 lc rgb '#D55E00' title 'published code', \\\n"
     "    f using 1:5 with linespoints pt 7 ps 0.5 lw 2 lc rgb '#E69F00' title 'the same with 10 hashes', \\\n"
     "    f using 1:6 with linespoints pt 7 ps 0.5 lw 2 lc rgb '#0072B2' title 'ultra, rr', \\\n"
     "    f using 1:7 with linespoints pt 7 ps 0.5 lw 2 lc rgb '#009E73' title 'dpset', \\\n"
     "    f using 1:8 with lines lw 1 dt 3 lc rgb 'black' title 'limit of epsilon', \\\n"
     "    f using 1:3 with points pt 6 ps 1.3 lw 2 lc rgb 'black' title 'as printed in the paper'\n"},
    {"figure2", "set xlabel 'occupancy'\n"
                "set ylabel 'F1-score'\n"
                "set yrange [0.8:1.002]\n"
                "set xrange [0.15:1.05]\n"
                "set key outside right\n"
                "set title 'UltraFilter paper, figure 2: occupancy against F1'\n"
                "f = 'figure2.tsv'\n"
                "array name[5] = ['Bloom filter', 'epsilon 1', 'epsilon 2', 'epsilon 3', 'epsilon 4']\n"
                "array colour[5] = ['#777777', '#D55E00', '#E69F00', '#0072B2', '#009E73']\n"
                "plot for [i=1:5] f using 1:(column(i+2)) with lines lw 2 lc rgb colour[i] title name[i], \\\n"
                "    for [i=1:5] f using 1:(column(i+7)) with points pt 6 ps 1.3 lw 2 lc rgb 'black' \\\n"
                "    title (i == 1 ? 'as printed' : '')\n"},
    {NULL, NULL},
};

static int run(const struct setup *setup, struct report *out, uf_error *why)
{
    struct hashed_keys keys = {0};
    struct grid *grid = malloc(sizeof *grid);
    if (!grid)
        return experiment_fail(why, UF_ENOMEM);
    int status = hashed_keys_make(setup, &keys, why);
    if (status == UF_OK)
        status = grid_measure(setup, &keys, grid, why);
    if (status == UF_OK) {
        add_table1(out, grid);
        add_occupancy(out, grid, "table2", "Table 2: occupancy and noise, F1", F1, paper_f1);
        add_occupancy(out, grid, "table3", "Table 3: occupancy and noise, false negatives", FN, paper_fn);
        add_occupancy(out, grid, "table4", "Table 4: occupancy and noise, false positives", FP, paper_fp);
        add_impossible(out, grid);
        add_figure1(out, grid);
        add_figure2(out, grid);
        arrays_equations(out, grid);
        status = arrays_distances(setup, &keys, out, why);
    }
    hashed_keys_free(&keys);
    free(grid);
    return status;
}

const struct experiment experiment_ultrafilter = {
    .name = "ultrafilter",
    .about = "UltraFilter: A Privacy-Preserving Bloom Filter (K. Odoh, 2025)",
    .sized = 1,
    .run = run,
    .figures = figures,
};
