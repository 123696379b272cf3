/* SPDX-License-Identifier: MIT */
/*
 * uf_bench_learned: what a model saves and what it costs, in bytes, in seconds to train and to build, in ns per query
 * (batched, on one core); and what is left of it when the set is released with noise first.
 *
 *     uf_bench_learned OUT NAME=FOLDER...      a folder has pos, neg_train, neg_valid and neg_test, one key a line
 *
 * For every folder tables are printed and written as OUT/NAME.tsv and OUT/NAME-private.tsv, and OUT/NAME.svg is drawn.
 * Speed is measured and never asserted; exits with 1 when a member was missed.
 */
#include <stdio.h>
#include <string.h>

#include "plot.h"
#include "shared.h"

static void write_table(FILE *out, const void *what)
{
    table_write(out, what);
}

static int write_tables(const char *folder, const struct report *report)
{
    char file[64];
    for (size_t i = 0; i < report->tables; i++) {
        snprintf(file, sizeof file, "%s.tsv", report->table[i].name);
        if (plot_replace(folder, file, write_table, &report->table[i])) {
            fprintf(stderr, "uf_bench_learned: cannot write into the folder %s\n", folder);
            return -1;
        }
    }
    return 0;
}

/* A missing gnuplot is said and is no failure: the numbers are there. */
static void draw(const char *folder, const struct table *table)
{
    char script[4096];
    struct figure figure = {table->name, script};
    curves_script(script, sizeof script, table);
    if (plot_draw(folder, &figure)) {
        fprintf(stderr, "uf_bench_learned: gnuplot did not draw %s/%s.svg\n", folder, table->name);
    }
}

static int measure(const char *folder, const struct lists *lists)
{
    struct report report = {0};
    measure_curves(&report, lists);
    measure_privacy(&report, lists);
    report_print(stdout, &report);
    int failed = report.out_of_memory || write_tables(folder, &report) || report_compare(&report).failed;
    if (!failed) {
        draw(folder, &report.table[0]);
    }
    report_free(&report);
    return failed;
}

/* "NAME=FOLDER". */
static int run(const char *folder, char *word)
{
    struct lists lists;
    char *equals = strchr(word, '=');
    if (!equals || equals == word) {
        stop("give folders as NAME=FOLDER");
    }
    *equals = 0;
    int failed = lists_load(&lists, word, equals + 1) || measure(folder, &lists);
    lists_free(&lists);
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
