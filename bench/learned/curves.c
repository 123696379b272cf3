/* SPDX-License-Identifier: MIT */
/*
 * Rate against memory: filters without a model (bloom, blocked, ribbon) and with one (learned, sandwich, partition; the
 * filters inside are ribbons, or Bloom filters), for several rates, all from the same keys. A filter with a model is
 * built even where a plain one is smaller: the picture is to show where that is.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "shared.h"

static const double rates[] = {0.1, 0.03, 0.01, 0.003, 0.001, 0.0003};
enum { RATES = sizeof rates / sizeof rates[0] };

/* One line of the picture. Colours stay apart for colour-blind readers (Okabe and Ito). */
struct series {
    const char *kind;
    const char *children; /* NULL: no model */
    const char *colour;
};

static const struct series all_series[] = {
    {"bloom", NULL, "#D55E00"},       {"blocked", NULL, "#E69F00"},      {"ribbon", NULL, "#000000"},
    {"learned", "bloom", "#56B4E9"},  {"sandwich", "bloom", "#CC79A7"},  {"partition", "bloom", "#009E73"},
    {"learned", "ribbon", "#56B4E9"}, {"sandwich", "ribbon", "#CC79A7"}, {"partition", "ribbon", "#009E73"},
};
enum { SERIES = sizeof all_series / sizeof all_series[0] };

enum column { PLANNED, KIB, BITS, MEASURED, AUC, TRAIN, BUILD, ABSENT, PRESENT, ABSENT_SINGLE, PRESENT_SINGLE, MISSED };
static const char *const columns[] = {"planned",        "KiB",     "bits/key",  "measured",   "AUC",
                                      "train s",        "build s", "ns absent", "ns present", "absent singly",
                                      "present singly", "missed",  NULL};

static const char note[] =
    "Seconds are of processor time, of all threads together; ns are of one thread, batched and singly.";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- models ---- */

/* One for each rate and kind of filters inside: the larger the filter, the larger the best model. */
struct trained {
    uf_model *model;
    double seconds;
};

enum family { BLOOMS, RIBBONS, FAMILIES };

static enum family family_of(const struct series *series)
{
    return strcmp(series->children, "bloom") ? RIBBONS : BLOOMS;
}

static struct trained train_at(const struct lists *lists, double rate, enum family family)
{
    double start = now();
    uf_model *model = train(&lists->members, lists, rate, family == BLOOMS ? "bloom" : "ribbon");
    return (struct trained){model, now() - start};
}

/* ---- one filter ---- */

static uf_filter *build(const struct lists *lists, const struct series *series, double rate, const uf_model *model,
                        double *seconds)
{
    uf_learning learning = learning_with(model, lists);
    uf_context ctx = context();
    uf_filter *filter;
    uf_error why;
    char text[128];
    snprintf(text, sizeof text, "%s:fpr=%g%s%s", series->kind, rate, series->children ? ",children=" : "",
             series->children ? series->children : "");
    uf_spec spec = spec_of(text);
    ctx.learning = model ? &learning : NULL;
    double start = now();
    if (uf_build(&spec, lists->members.keys, lists->members.count, &ctx, &filter, &why) != UF_OK) {
        stop(why.text);
    }
    *seconds = now() - start;
    return filter;
}

static void show_figures(struct row *row, const uf_filter *filter, const struct lists *lists)
{
    uf_info info;
    uf_learned learned;
    struct asked absent = ask(filter, &lists->test), present = ask(filter, &lists->members);
    uf_get_info(filter, &info, sizeof info);
    row_show(row, KIB, (double)info.bytes / 1024);
    row_show(row, BITS, (double)info.bytes * 8 / (double)lists->members.count);
    row_show(row, MEASURED, absent.share);
    row_show(row, ABSENT, absent.ns);
    row_show(row, PRESENT, present.ns);
    row_show(row, ABSENT_SINGLE, absent.single);
    row_show(row, PRESENT_SINGLE, present.single);
    row_check(row, MISSED, (double)present.refused, 0, 0);
    if (uf_get_learned(filter, &learned, sizeof learned) == UF_OK) {
        row_show(row, AUC, learned.auc);
    }
}

/* ---- all of them ---- */

static void name_of(char out[TABLE_LABEL], const struct series *series)
{
    snprintf(out, TABLE_LABEL, series->children ? "%s (%s)" : "%s", series->kind, series->children);
}

static void measure_series(struct report *report, struct table *table, const struct lists *lists,
                           const struct series *series, const struct trained *trained)
{
    char name[TABLE_LABEL];
    name_of(name, series);
    for (size_t r = 0; r < RATES; r++) {
        struct row *row = table_row(report, table, name, "");
        double seconds;
        uf_filter *filter = build(lists, series, rates[r], trained ? trained[r].model : NULL, &seconds);
        row_show(row, PLANNED, rates[r]);
        row_show(row, BUILD, seconds);
        row_show(row, TRAIN, trained ? trained[r].seconds : NAN);
        show_figures(row, filter, lists);
        uf_free(filter);
    }
}

void measure_curves(struct report *report, const struct lists *lists)
{
    struct trained trained[FAMILIES][RATES];
    char title[160];
    snprintf(title, sizeof title, "%s: %zu members, negatives: %zu to train on, %zu to plan with, %zu to measure with",
             lists->name, lists->members.count, lists->train.count, lists->valid.count, lists->test.count);
    struct table *table = report_table(report, lists->name, title, columns);
    table->head[0] = "kind";
    table->note = note;
    for (size_t i = 0; i < FAMILIES * RATES; i++) {
        trained[i / RATES][i % RATES] = train_at(lists, rates[i % RATES], (enum family)(i / RATES));
    }
    for (size_t s = 0; s < SERIES; s++) {
        const struct series *series = &all_series[s];
        measure_series(report, table, lists, series, series->children ? trained[family_of(series)] : NULL);
    }
    for (size_t i = 0; i < FAMILIES * RATES; i++) {
        uf_model_free(trained[i / RATES][i % RATES].model);
    }
}

/* Columns of the .tsv are counted from 1, behind the two labels. Dashed: Bloom filters inside. */
static void write_line(FILE *out, const struct table *table, const struct series *series)
{
    char label[TABLE_LABEL];
    name_of(label, series);
    fprintf(out, "%s '%s.tsv' using %d:(of('%s')) with linespoints pt 7 ps 0.4 lw 2 dt %d lc rgb '%s' title '%s'",
            series == all_series ? "plot" : ", \\\n   ", table->name, KIB + 3, label,
            series->children && family_of(series) == BLOOMS ? 2 : 1, series->colour, label);
}

void curves_script(char *out, size_t size, const struct table *table)
{
    FILE *file = fmemopen(out, size, "w");
    if (!file) {
        stop("no memory for a script");
    }
    fprintf(file,
            "set logscale y 10\nset format y '%%g %%%%'\nset xrange [0:*]\nset title '%s' font ',12'\n"
            "set xlabel 'KiB, model included'\nset ylabel 'negatives accepted, measured'\nset key top right\n"
            "of(series) = strcol(1) eq series ? 100 * $%d : NaN\n",
            table->title, MEASURED + 3);
    for (size_t s = 0; s < SERIES; s++) {
        write_line(file, table, &all_series[s]);
    }
    fputc('\n', file);
    fclose(file);
}
