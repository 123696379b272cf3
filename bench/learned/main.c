/* SPDX-License-Identifier: MIT */
/*
 * uf_bench_learned: what a model saves, and what it costs. For every rate, filters without a model (bloom, blocked,
 * ribbon) and with one (learned, sandwich, partition; the filters inside are ribbons, or Bloom filters), all from the
 * same keys: bytes, model included; the rate on negatives that nobody has seen; seconds to train and to build; ns per
 * query, batched, on one core.
 *
 *     uf_bench_learned OUT NAME=FOLDER...      a folder has pos, neg_train, neg_valid and neg_test, one key a line
 *
 * For every folder a table is printed and OUT/NAME.tsv, .svg and .png are written. A filter with a model is built even
 * where a plain one is smaller: the picture is to show where that is. Exits with 1 when a member was missed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../clock.h"
#include "lists.h"
#include "plot.h"
#include "table.h"
#include "ultrafilter.h"

enum { RUNS = 3, MOST_ASKED = 500000 };

static const double rates[] = {0.1, 0.03, 0.01, 0.003, 0.001, 0.0003};
enum { RATES = sizeof rates / sizeof rates[0] };

/* One line of the picture. */
struct series {
    const char *kind;
    const char *children; /* NULL: no model */
};

static const struct series all_series[] = {
    {"bloom", NULL},       {"blocked", NULL},      {"ribbon", NULL},
    {"learned", "bloom"},  {"sandwich", "bloom"},  {"partition", "bloom"},
    {"learned", "ribbon"}, {"sandwich", "ribbon"}, {"partition", "ribbon"},
};
enum { SERIES = sizeof all_series / sizeof all_series[0] };

enum column { PLANNED, KIB, BITS, MEASURED, AUC, TRAIN, BUILD, ABSENT, PRESENT, MISSED };
static const char *const columns[] = {"planned", "KiB",       "bits/key",   "measured", "AUC", "train s",
                                      "build s", "ns absent", "ns present", "missed",   NULL};

static void stop(const char *text)
{
    fprintf(stderr, "uf_bench_learned: %s\n", text);
    exit(2);
}

static uf_context context(void)
{
    uf_context ctx = UF_CONTEXT_INIT;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    ctx.threads = processors > 1 ? (unsigned)processors : 1;
    return ctx;
}

/* ---- models ---- */

/* A model for each rate and kind of filters inside: the larger the filter, the larger the best model. */
struct trained {
    uf_model *model;
    double seconds;
};

static struct trained train(const struct lists *lists, double rate, const char *children)
{
    uf_training how = UF_TRAINING_INIT;
    uf_context ctx = context();
    struct trained out;
    uf_error why;
    how.positives = lists->members.keys;
    how.positive_count = lists->members.count;
    how.negatives = lists->train.keys;
    how.negative_count = lists->train.count;
    how.valid = lists->valid.keys;
    how.valid_count = lists->valid.count;
    how.fpr = rate;
    how.children = children;
    double start = clock_ns();
    if (uf_train(&how, &ctx, &out.model, &why) != UF_OK) {
        stop(why.text);
    }
    out.seconds = (clock_ns() - start) / 1e9;
    return out;
}

static size_t family(const struct series *series)
{
    return strcmp(series->children, "bloom") ? 1 : 0;
}

/* ---- one filter ---- */

static uf_filter *build(const struct lists *lists, const struct series *series, double rate, const uf_model *model,
                        double *seconds)
{
    uf_learning learning = UF_LEARNING_INIT;
    uf_context ctx = context();
    uf_filter *filter;
    uf_spec spec;
    uf_error why;
    char text[128];
    snprintf(text, sizeof text, "%s:fpr=%g%s%s", series->kind, rate, series->children ? ",children=" : "",
             series->children ? series->children : "");
    learning.model = model;
    learning.valid = lists->valid.keys;
    learning.valid_count = lists->valid.count;
    learning.force = 1;
    ctx.learning = model ? &learning : NULL;
    double start = clock_ns();
    if (uf_spec_parse(text, &spec, &why) ||
        uf_build(&spec, lists->members.keys, lists->members.count, &ctx, &filter, &why)) {
        stop(why.text);
    }
    *seconds = (clock_ns() - start) / 1e9;
    return filter;
}

struct asked {
    double ns; /* per key, the best of several runs */
    size_t accepted;
};

static size_t count_ones(const uint8_t *answers, size_t count)
{
    size_t ones = 0;
    for (size_t i = 0; i < count; i++) {
        ones += answers[i];
    }
    return ones;
}

static struct asked ask(const uf_filter *filter, const struct list *list)
{
    struct asked out = {INFINITY, 0};
    uint8_t *answers = malloc(list->count);
    if (!answers) {
        stop("no memory for answers");
    }
    uf_query_many(filter, list->keys, list->count, answers);
    out.accepted = count_ones(answers, list->count);
    size_t count = list->count < MOST_ASKED ? list->count : MOST_ASKED;
    for (int run = 0; run < RUNS; run++) {
        double start = clock_ns();
        uf_query_many(filter, list->keys, count, answers);
        out.ns = fmin(out.ns, (clock_ns() - start) / (double)count);
    }
    free(answers);
    return out;
}

static void show_figures(struct row *row, const uf_filter *filter, const struct lists *lists)
{
    uf_info info;
    uf_learned learned;
    struct asked absent = ask(filter, &lists->test), present = ask(filter, &lists->members);
    uf_get_info(filter, &info);
    row_show(row, KIB, (double)info.bytes / 1024);
    row_show(row, BITS, (double)info.bytes * 8 / (double)lists->members.count);
    row_show(row, MEASURED, (double)absent.accepted / (double)lists->test.count);
    row_show(row, ABSENT, absent.ns);
    row_show(row, PRESENT, present.ns);
    row_check(row, MISSED, (double)(lists->members.count - present.accepted), 0, 0);
    if (uf_get_learned(filter, &learned) == UF_OK) {
        row_show(row, AUC, learned.auc);
    }
}

/* ---- one folder ---- */

static void name_of(char out[TABLE_LABEL], const struct series *series)
{
    if (series->children) {
        snprintf(out, TABLE_LABEL, "%s (%s)", series->kind, series->children);
    } else {
        snprintf(out, TABLE_LABEL, "%s", series->kind);
    }
}

static void measure_series(struct report *report, struct table *table, const struct lists *lists,
                           const struct series *series, const struct trained trained[RATES])
{
    char name[TABLE_LABEL];
    name_of(name, series);
    for (size_t r = 0; r < RATES; r++) {
        struct row *row = table_row(report, table, name, "");
        double seconds;
        uf_filter *filter = build(lists, series, rates[r], trained ? trained[r].model : NULL, &seconds);
        row_show(row, PLANNED, rates[r]);
        row_show(row, BUILD, seconds);
        if (trained) {
            row_show(row, TRAIN, trained[r].seconds);
        }
        show_figures(row, filter, lists);
        uf_free(filter);
    }
}

static void measure_all(struct report *report, const struct lists *lists)
{
    static const char *const inside[] = {"bloom", "ribbon"};
    struct trained trained[2][RATES];
    char title[160];
    snprintf(title, sizeof title, "%s: %zu members, negatives: %zu to train on, %zu to plan with, %zu to measure with",
             lists->name, lists->members.count, lists->train.count, lists->valid.count, lists->test.count);
    struct table *table = report_table(report, lists->name, title, columns);
    table->head[0] = "kind";
    for (size_t c = 0; c < 2; c++) {
        for (size_t r = 0; r < RATES; r++) {
            trained[c][r] = train(lists, rates[r], inside[c]);
        }
    }
    for (size_t s = 0; s < SERIES; s++) {
        const struct series *series = &all_series[s];
        measure_series(report, table, lists, series, series->children ? trained[family(series)] : NULL);
    }
    for (size_t c = 0; c < 2; c++) {
        for (size_t r = 0; r < RATES; r++) {
            uf_model_free(trained[c][r].model);
        }
    }
}

/* ---- files ---- */

static void write_table(FILE *out, const void *what)
{
    table_write(out, what);
}

/* Colours that stay apart for colour-blind readers (Okabe and Ito); dashed with Bloom filters inside. */
static void write_plot(char *out, size_t size, const struct table *table)
{
    static const char *const colours[SERIES] = {"#D55E00", "#E69F00", "#000000", "#56B4E9", "#CC79A7",
                                                "#009E73", "#56B4E9", "#CC79A7", "#009E73"};
    size_t at = (size_t)snprintf(out, size,
                                 "set logscale y 10\nset format y '%%g %%%%'\nset xrange [0:*]\n"
                                 "set xlabel 'KiB, model included'\nset ylabel 'negatives accepted, measured'\n"
                                 "set key top right\nset title '%s'\n"
                                 "of(series) = strcol(1) eq series ? 100 * $6 : NaN\n",
                                 table->title);
    for (size_t s = 0; s < SERIES && at < size; s++) {
        char label[TABLE_LABEL];
        name_of(label, &all_series[s]);
        at += (size_t)snprintf(out + at, size - at,
                               "%s '%s.tsv' using 4:(of('%s')) with linespoints pt 7 ps 0.4 lw 2 dt %d lc rgb '%s' "
                               "title '%s'",
                               s ? ", \\\n   " : "plot", table->name, label,
                               all_series[s].children && !family(&all_series[s]) ? 2 : 1, colours[s], label);
    }
    snprintf(out + (at < size ? at : size - 1), at < size ? size - at : 1, "\n");
}

static int write_files(const char *folder, const struct table *table)
{
    char file[64], script[4096];
    struct figure figure = {table->name, script};
    snprintf(file, sizeof file, "%s.tsv", table->name);
    if (plot_replace(folder, file, write_table, table)) {
        fprintf(stderr, "uf_bench_learned: cannot write into the folder %s\n", folder);
        return -1;
    }
    write_plot(script, sizeof script, table);
    /* A missing gnuplot is said and is no failure: the numbers are there. */
    if (plot_draw(folder, &figure)) {
        fprintf(stderr, "uf_bench_learned: gnuplot did not draw %s/%s.svg\n", folder, table->name);
    }
    return 0;
}

/* "NAME=FOLDER". */
static int run(const char *folder, char *word)
{
    struct report report = {0};
    struct lists lists;
    char *equals = strchr(word, '=');
    if (!equals || equals == word) {
        stop("give folders as NAME=FOLDER");
    }
    *equals = 0;
    int failed = lists_load(&lists, word, equals + 1);
    if (!failed) {
        measure_all(&report, &lists);
        report_print(stdout, &report);
        failed = write_files(folder, &report.table[0]) || report.out_of_memory || report_compare(&report).failed;
    }
    lists_free(&lists);
    report_free(&report);
    return failed;
}

int main(int count, char **words)
{
    int failed = 0;
    if (count < 3) {
        stop("usage: uf_bench_learned OUT NAME=FOLDER...");
    }
    for (int i = 2; i < count; i++) {
        failed |= run(words[1], words[i]);
    }
    return failed ? 1 : 0;
}
