/* SPDX-License-Identifier: MIT */
/* reproduce: the papers' tables and figures beside ours, measured now, written to a folder and compared. */
#include "commands.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment.h"
#include "folder.h"
#include "human.h"
#include "lab_options.h"
#include "message.h"
#include "numbers.h"
#include "papers.h"
#include "plot.h"
#include "progress.h"
#include "report.h"
#include "signals.h"

static const struct option option_folder = {0, "out", VALUE_FILE, "DIR",
                                            "The folder for tables and figures; made when it is not there."};
static const struct option option_data_only = {0, "data-only", VALUE_NONE, NULL,
                                               "No figures; gnuplot is then not needed."};
static const struct option option_scale = {'n', "keys", VALUE_NUMBER, "N",
                                           "Keys in the UltraFilter paper's experiment, and at most in the Bodega "
                                           "paper's. Default: 1048576. Fewer are quicker, with wider tolerances."};
static const struct option option_data = {
    0, "data", VALUE_FILE, "DIR",
    "Keys for the Bodega experiment: pos.txt, neg_train.txt, neg_valid.txt and neg_test.txt in the folder DIR. "
    "Default: French and English words of Debian's word lists."};

enum { DEFAULT_SEED = 1, LEAST_KEYS = 1000, MOST_KEYS = 1 << 24 };

/* ---- files ---- */

static void write_table(FILE *out, const void *what)
{
    table_write(out, what);
}

static int write_tables(const char *folder, const struct report *report)
{
    for (size_t i = 0; i < report->tables; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s.tsv", report->table[i].name);
        if (plot_replace(folder, name, write_table, &report->table[i]))
            return print_error("%s/%s: cannot write it: %s", folder, name, strerror(errno));
    }
    return EXIT_FINE;
}

static int draw_figures(const char *folder, const struct experiment *experiment)
{
    for (const struct figure *figure = experiment->figures; figure->name; figure++)
        if (plot_draw(folder, figure))
            return print_error("%s/%s: gnuplot could not draw it", folder, figure->name);
    return EXIT_FINE;
}

/* Ctrl-C waits until the files are whole. */
static int write_files(const struct args *args, const struct experiment *experiment, const struct report *report)
{
    const char *folder = args_value(args, &option_folder);
    const sigset_t before = signals_hold();
    int status = write_tables(folder, report);
    if (!status && !args_has(args, &option_data_only))
        status = draw_figures(folder, experiment);
    signals_restore(&before);
    return status;
}

/* ---- results ---- */

static int add_cell(json_t *cells, const struct experiment *experiment, const struct table *table, size_t r, size_t c)
{
    const struct cell *cell = &table->row[r].cell[c];
    return json_array_append_new(cells, json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:b}", "experiment",
                                                  experiment->name, "table", table->name, "row", row_name(table, r),
                                                  "of", table->row[r].label[1], "column", table->column[c], "value",
                                                  report_number(cell->value), "expected", report_number(cell->want),
                                                  "tolerance", report_number(isnan(cell->want) ? NAN : cell->tolerance),
                                                  "fails", cell_fails(cell)));
}

static int add_cells(json_t *cells, const struct experiment *experiment, const struct report *report)
{
    int failed = 0;
    for (size_t t = 0; t < report->tables; t++)
        for (size_t r = 0; r < report->table[t].rows; r++)
            for (size_t c = 0; c < report->table[t].columns; c++)
                failed |= add_cell(cells, experiment, &report->table[t], r, c);
    return failed ? print_error("out of memory") : EXIT_FINE;
}

static void print_failures(const struct report *report)
{
    for (size_t t = 0; t < report->tables; t++)
        for (size_t r = 0; r < report->table[t].rows; r++)
            for (size_t c = 0; c < report->table[t].columns; c++) {
                const struct table *table = &report->table[t];
                const struct cell *cell = &table->row[r].cell[c];
                if (cell_fails(cell))
                    (void)printf("Out of tolerance: %s, %s, %s, %s: %s, expected %s within %s\n", table->name,
                                 row_name(table, r), table->row[r].label[1], table->column[c],
                                 cell_text(cell->value).text, cell_text(cell->want).text,
                                 cell_text(cell->tolerance).text);
            }
}

static void print_report(const struct args *args, const struct experiment *experiment, const struct setup *setup,
                         const struct report *report)
{
    struct report_summary summary = report_compare(report);
    (void)printf("== %s: %s\n\n", experiment->name, experiment->about);
    report_print(stdout, report);
    print_failures(report);
    (void)printf("%zu of %zu numbers are within their tolerance", summary.checked - summary.failed, summary.checked);
    if (report->largest_name[0])
        (void)printf("; the largest difference from the paper is %.4f (%s)", report->largest, report->largest_name);
    (void)printf(".\nWritten to %s%s.\n\n", args_value(args, &option_folder),
                 experiment->sized && setup->keys < PAPER_KEYS
                     ? "; sets are smaller than the paper's, and tolerances wider"
                     : "");
}

/* ---- every numbered statement ---- */

/* Of the experiments that ran: what a paper says, beside ours. */
struct statements {
    struct papers papers;
    const struct experiment *only; /* NULL: all */
};

static int is_shown(const struct statements *statements, const struct paper_item *item)
{
    return !statements->only || !strcmp(statements->only->name, item->experiment);
}

static void write_statements(FILE *out, const void *what)
{
    const struct statements *statements = what;
    const struct paper_item *item;
    (void)fprintf(out, "paper\tnumber\twhat\tours\tthe paper's\tverdict\tcommand\n");
    for (size_t i = 0; (item = paper_item(i)); i++) {
        char ours[PAPER_TEXT];
        papers_ours(&statements->papers, i, ours);
        if (is_shown(statements, item))
            (void)fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", item->experiment, item->number, item->what, ours,
                          item->paper, paper_verdict_name(papers_verdict(&statements->papers, i)), item->command);
    }
}

static void print_statements(const struct statements *statements)
{
    const struct paper_item *item;
    size_t shown = 0;
    (void)printf("== papers: every numbered statement, ours beside it, and the command behind it\n\n");
    for (size_t i = 0; (item = paper_item(i)); i++) {
        char ours[PAPER_TEXT];
        papers_ours(&statements->papers, i, ours);
        if (!is_shown(statements, item))
            continue;
        shown++;
        (void)printf("%-11s  %-14s  %-10s  %s | ours: %s | paper: %s | %s\n", item->experiment, item->number,
                     paper_verdict_name(papers_verdict(&statements->papers, i)), item->what, ours, item->paper,
                     item->command);
    }
    (void)printf("\n%zu statements.\n", shown);
}

static json_t *statement_array(const struct statements *statements)
{
    const struct paper_item *item;
    json_t *array = json_array();
    for (size_t i = 0; (item = paper_item(i)); i++) {
        char ours[PAPER_TEXT];
        papers_ours(&statements->papers, i, ours);
        if (is_shown(statements, item))
            (void)json_array_append_new(
                array, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "paper", item->experiment, "number",
                                 item->number, "what", item->what, "ours", ours, "papers", item->paper, "verdict",
                                 paper_verdict_name(papers_verdict(&statements->papers, i)), "command", item->command));
    }
    return array;
}

static int save_statements(const struct args *args, const struct statements *statements)
{
    const char *folder = args_value(args, &option_folder);
    return plot_replace(folder, "papers.tsv", write_statements, statements)
               ? print_error("%s/papers.tsv: cannot write it: %s", folder, strerror(errno))
               : EXIT_FINE;
}

/* ---- running ---- */

static int reproduce(const struct args *args, const struct experiment *experiment, const struct setup *setup,
                     json_t *cells, struct papers *papers, size_t *failed)
{
    struct report report = {0};
    uf_error why = {0};
    progress_library_phase(experiment->name);
    int status = experiment->run(setup, &report, &why);
    progress_hide();
    if (status != UF_OK || report.out_of_memory)
        status = print_error("%s: %s", experiment->name, status != UF_OK ? why.text : "out of memory");
    else
        status = write_files(args, experiment, &report);
    if (!status && cells)
        status = add_cells(cells, experiment, &report);
    else if (!status)
        print_report(args, experiment, setup, &report);
    *failed += report_compare(&report).failed;
    papers_note(papers, experiment->name, &report);
    report_free(&report);
    return status;
}

static int find(const char *name, const struct experiment **out)
{
    char list[160] = "all";
    *out = NULL;
    for (const struct experiment *const *experiment = experiments; *experiment; experiment++) {
        if (!strcmp(name, (*experiment)->name))
            *out = *experiment;
        strcat(strcat(list, ", "), (*experiment)->name);
    }
    if (*out || !strcmp(name, "all"))
        return EXIT_FINE;
    return print_error("there is no experiment %s: it is one of %s", name, list);
}

static int read_setup(const struct args *args, struct setup *out)
{
    *out = (struct setup){.keys = PAPER_KEYS,
                          .data = args_value(args, &option_data),
                          .trials = {.seed = {1, DEFAULT_SEED}, .progress = progress_from_library}};
    out->trials.threads = args_threads(args);
    if (!out->trials.threads || args_whole(args, &option_scale, LEAST_KEYS, MOST_KEYS, &out->keys) ||
        args_seed(args, &option_seed, &out->trials.seed.value))
        return EXIT_ERROR;
    return EXIT_FINE;
}

static int prepare(const struct args *args)
{
    if (args_require(args, &option_folder))
        return EXIT_ERROR;
    if (args_has(args, &option_data_only) || !plot_missing())
        return folder_prepare(args_value(args, &option_folder));
    return print_error(
        "the figures need gnuplot, which is not here: install it (Debian: gnuplot-nox), or leave the figures "
        "out with --data-only");
}

static int run(const struct args *args)
{
    const struct experiment *only;
    struct setup setup;
    size_t failed = 0;
    if (find(args->operands ? args->operand[0] : "all", &only) || read_setup(args, &setup) || prepare(args))
        return EXIT_ERROR;
    json_t *cells = args_has(args, &option_json) ? json_array() : NULL;
    struct statements statements = {.only = only};
    int status = EXIT_FINE;
    for (const struct experiment *const *experiment = experiments; *experiment && !status; experiment++)
        if (!only || only == *experiment)
            status = reproduce(args, *experiment, &setup, cells, &statements.papers, &failed);
    if (!status)
        status = save_statements(args, &statements);
    if (!status && cells)
        status = report_json(json_pack("{s:I, s:O, s:o}", "failed", (json_int_t)failed, "cells", cells, "papers",
                                       statement_array(&statements)));
    else if (!status)
        print_statements(&statements);
    json_decref(cells);
    return status ? status : failed ? EXIT_NONE : EXIT_FINE;
}

static const struct option *const options[] = {&option_folder, &option_data_only, &option_scale,
                                               &option_data,   &option_seed,      &option_threads,
                                               &option_json,   &option_progress,  NULL};

static const struct example examples[] = {
    {"ultrafilter-lab reproduce --out results", "Everything, at the papers' sizes: about a minute on two processors."},
    {"ultrafilter-lab reproduce ultrafilter --out results -n 16384 --data-only", "Quick and rough, without figures."},
    {"ultrafilter-lab reproduce bodega --out results --data hosts", "Learned filters of your own keys under attack."},
    {NULL, NULL},
};

const struct command command_reproduce = {
    .name = "reproduce",
    .synopsis = "[ultrafilter|nickel-dime|bodega|all] --out DIR [options]",
    .summary = "run the papers' experiments again",
    .description =
        "Measures the tables and figures of the papers that UltraFilter grew out of, and prints them beside what was "
        "printed there and beside the kinds that keep their promise. The numbers (.tsv) and figures (.svg, .png) are "
        "written into the folder DIR. Each number that has an expected value is compared with it. At the end every "
        "numbered definition, theorem, table, figure, equation and algorithm of the papers has a row (papers.tsv): "
        "what "
        "it is, ours, the paper's, a verdict, and the command that shows it.\n\n"
        "The randomness is repeatable: the same command gives the same numbers, and --seed others.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when every number is within its tolerance, 1 when one is not, 2 on an error.",
    .least = 0,
    .most = 1,
    .run = run,
};
