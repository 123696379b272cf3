/* SPDX-License-Identifier: MIT */
/*
 * Filters of real keys, all of the same size, while an adversary chooses a share alpha of the queries: a keyed Bloom
 * filter of 1 %, and the lowest rate that kinds downtown and robust reach in its bytes, their model included. The
 * adversary knows the model and not the key: mutants of real keys, one character changed, which score where the filter
 * is worst. Measured are the two parts of the queries, others that nobody chose and mutants; the rate of the whole is
 * (1 - alpha) of one and alpha of the other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodega.h"
#include "bodega_comparison.h"

enum { MUTANTS = 20000, FEW_MUTANTS = 4000 };

static double mixed(const struct candidate *candidate, double alpha)
{
    return (1 - alpha) * candidate->ordinary + alpha * candidate->attacked;
}

/* Sampling on both sides, the negatives it was planned with and those it is measured with; filters fill unevenly by
 * some percent. What is below the plan is fine: plans have a margin. */
static void check_below(struct row *row, size_t column, double value, double plan, double tolerance)
{
    row_check(row, column, value, plan, value <= plan ? plan : tolerance + 0.05 * plan);
}

static void fill_design(struct row *row, size_t column, const struct comparison *comparison,
                        const struct candidate *candidate, double alpha)
{
    const struct dataset_keys *others = comparison->dataset.others;
    double ordinary = candidate->planned, sampling = rate_tolerance(ordinary, (double)others[DATASET_TEST].count) +
                                                     rate_tolerance(ordinary, (double)others[DATASET_VALID].count);
    row_show(row, column, candidate->planned);
    check_below(row, column + 1, mixed(candidate, alpha), candidate->planned,
                (1 - alpha) * sampling + alpha * rate_tolerance(candidate->worst, candidate->mutants));
}

static void fill_alpha(struct report *report, struct table *table, const struct comparison *comparison, size_t i,
                       double classical)
{
    const struct candidate *candidate = comparison->candidate[i];
    double test = (double)comparison->dataset.others[DATASET_TEST].count;
    char label[TABLE_LABEL];
    (void)snprintf(label, sizeof label, "%g", comparison_alpha[i]);
    struct row *row = table_row(report, table, label, "");
    row_check(row, 0, classical, 0.01, rate_tolerance(0.01, test) + 0.0005);
    fill_design(row, 1, comparison, &candidate[DOWNTOWN], comparison_alpha[i]);
    fill_design(row, 3, comparison, &candidate[ROBUST], comparison_alpha[i]);
    row_show(row, 5, mixed(&candidate[WHOLE], comparison_alpha[i]));
    row_show(row, 6, mixed(&comparison->candidate[0][ROBUST], comparison_alpha[i]));
    row_show(row, 7, candidate[ROBUST].worst);
    check_below(row, 8, candidate[ROBUST].attacked, candidate[ROBUST].worst,
                rate_tolerance(candidate[ROBUST].worst, candidate[ROBUST].mutants));
}

static void add_table(const struct setup *setup, struct report *report, const struct comparison *comparison,
                      double classical)
{
    static const char *const columns[] = {"classical", "downtown", "seen",  "robust",      "seen",
                                          "paper's",   "for 0",    "max f", "attack seen", NULL};
    char title[160];
    (void)snprintf(
        title, sizeof title, "Measured: %zu %s, filters of %.0f KiB with a model of %.0f KiB (AUC %.4f); FPR by alpha",
        comparison->dataset.members.count, setup->data ? "keys of --data" : "French words, asked for English ones",
        comparison->bytes / 1024, (double)comparison->info.bytes / 1024, comparison->info.auc);
    struct table *table = report_table(report, "bodega_measured", title, columns);
    table->head[0] = "alpha";
    table->note =
        "Classical: a keyed Bloom filter. Downtown and robust are planned for that alpha; seen is what came out, with\n"
        "alpha of the queries chosen to score where the filter is worst. Paper's: downtown with all keys in both\n"
        "filters. For 0: robust planned for no adversary, a partitioned learned filter with keys. Max f: the rate of\n"
        "robust's worst region, which bounds what an attack gets; seen: what it got.";
    for (size_t i = 0; i < ALPHAS; i++)
        fill_alpha(report, table, comparison, i, classical);
}

int bodega_data(const struct setup *setup, struct report *report, uf_error *why)
{
    struct comparison *comparison = calloc(1, sizeof *comparison);
    double classical = NAN;
    if (!comparison)
        return experiment_fail(why, UF_ENOMEM);
    /* The usual number is that of another paper; only a smaller one was meant. */
    uint64_t most = setup->keys < PAPER_KEYS ? setup->keys : UINT64_MAX;
    comparison->mutants = setup->keys < PAPER_KEYS ? FEW_MUTANTS : MUTANTS;
    int status = dataset_read(setup->data, most, &comparison->dataset, why);
    if (status == UF_OK)
        status = comparison_measure(setup, comparison, &classical, why);
    if (status == UF_OK)
        add_table(setup, report, comparison, classical);
    uf_model_free(comparison->model);
    dataset_free(&comparison->dataset);
    free(comparison);
    return status;
}
