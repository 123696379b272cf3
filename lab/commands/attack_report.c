/* SPDX-License-Identifier: MIT */
#include "attack_report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "human.h"
#include "layout.h"
#include "message.h"
#include "plot.h"
#include "report.h"
#include "signals.h"

/* ---- the plot ---- */

static const struct figure figures[] = {
    {
        .name = "pollution",
        .script = "set title 'n chosen items instead of random ones'\n"
                  "set xlabel 'items inserted by the attacker'\n"
                  "set ylabel 'share of other items that is accepted'\n"
                  "set key left top\n"
                  "set logscale y\n"
                  "set format y '%g'\n"
                  "set yrange [1e-5:1]\n"
                  "plot for [name in 'unkeyed redis keyed design'] 'pollution.tsv' using 2:(stringcolumn(1) eq name ? "
                  "$3 : NaN) "
                  "with linespoints pointsize 0.4 linewidth 2 title name\n",
    },
    {
        .name = "mutate",
        .script = "set title 'keys that a learned filter is made to accept'\n"
                  "set ylabel 'share that is accepted'\n"
                  "set key outside below\n"
                  "set style data histogram\n"
                  "set style histogram clustered gap 1\n"
                  "set style fill solid 0.8\n"
                  "set logscale y\n"
                  "set yrange [1e-3:1]\n"
                  "plot for [i=2:8] 'mutate.tsv' using i:xticlabels(1) title columnheader(i)\n",
    },
};

static void write_points(FILE *out, const void *what)
{
    const struct attack_result *result = what;
    uint64_t most = 0;
    (void)fputs("target\titems\tfpr\n", out);
    for (size_t i = 0; i < result->points; i++) {
        const struct attack_point *point = &result->point[i];
        most = point->items > most ? point->items : most;
        (void)fprintf(out, "%s\t%llu\t%.9g\n", point->target, (unsigned long long)point->items, point->fpr);
    }
    if (result->rows)
        (void)fprintf(out, "design\t0\t%.9g\ndesign\t%llu\t%.9g\n", result->row[0].design, (unsigned long long)most,
                      result->row[0].design);
}

/* A line for each target: its rows follow one another, and the last one's design is that of an attack. */
static void write_rows(FILE *out, const void *what)
{
    const struct attack_result *result = what;
    (void)fputs("target\tunchanged\t\"one character\"\tchain\t\"white box\"\tdesign", out);
    for (size_t i = 0; i < result->rows; i++) {
        const struct attack_row *row = &result->row[i];
        if (!i || strcmp(row->target, row[-1].target))
            (void)fprintf(out, "\n%s", row->target);
        (void)fprintf(out, "\t%.9g", row->value);
        if (i + 1 == result->rows || strcmp(row->target, row[1].target))
            (void)fprintf(out, "\t%.9g", row->design);
    }
    (void)fputc('\n', out);
}

int attack_draw(const char *folder, const struct attack *attack, const struct attack_result *result)
{
    const sigset_t before = signals_hold();
    const struct figure *figure = &figures[strcmp(attack->name, figures[0].name) != 0];
    char table[32];
    (void)snprintf(table, sizeof table, "%s.tsv", figure->name);
    int written = plot_replace(folder, table, figure == figures ? write_points : write_rows, result);
    int status = written ? print_error("%s/%s: cannot write it: %s", folder, table, strerror(errno))
                 : plot_draw(folder, figure)
                     ? print_error("%s/%s: gnuplot could not attack_draw it", folder, figure->name)
                     : EXIT_FINE;
    signals_restore(&before);
    return status;
}

/* ---- what came out ---- */

static json_t *row_object(const struct attack_row *row)
{
    json_t *object = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:o}", "target", row->target, "metric",
                               row->metric, "value", report_number(row->value), "low", report_number(row->interval.low),
                               "high", report_number(row->interval.high), "design", report_number(row->design),
                               "trials", (json_int_t)row->trials, "cost", report_number(row->cost), "cost_unit",
                               row->cost_unit ? json_string(row->cost_unit) : json_null());
    return object;
}

static json_t *head_object(const struct attack *attack, const struct attack_request *request)
{
    json_t *head = json_pack("{s:s, s:I}", "attack", attack->name, "n", (json_int_t)request->plan.n);
    int failed = 0;
    if (attack->takes & ATTACK_PLAN)
        failed |= json_object_set_new(head, "kind", json_string(request->plan.kind)) ||
                  json_object_set_new(head, "fpr", json_real(request->plan.fpr));
    if (attack->takes & ATTACK_RATE)
        failed |= json_object_set_new(head, "fpr", json_real(request->plan.fpr));
    if (attack->takes & ATTACK_EPSILON)
        failed |= json_object_set_new(head, "epsilon", json_real(request->epsilon));
    if (attack->takes & ATTACK_CORPUS)
        failed |= json_object_set_new(head, "adversarial_share", json_real(request->share));
    failed |= json_object_set_new(head, "confidence", json_real(ATTACK_CONFIDENCE));
    if (!failed)
        return head;
    json_decref(head);
    return NULL;
}

int attack_print_json(const struct attack *attack, const struct attack_request *request,
                      const struct attack_result *result)
{
    json_t *results = json_array(), *object = head_object(attack, request);
    for (size_t i = 0; i < result->rows; i++)
        (void)json_array_append_new(results, row_object(&result->row[i]));
    if (!json_object_set_new(object, "results", results))
        return report_json(object);
    json_decref(object);
    return report_json(NULL);
}

static struct human cell(const struct attack_row *row, double value)
{
    if (isnan(value))
        return (struct human){"-"};
    return row->unit == ATTACK_SHARE ? human_percent(value) : human_count(value);
}

static struct human ratio(const struct attack_row *row)
{
    struct human out = {"-"};
    double times = row->value / row->design;
    if (isfinite(times))
        (void)snprintf(out.text, sizeof out.text, times < 9.995 ? "%.2f" : times < 99.95 ? "%.1f" : "%.0f", times);
    return out;
}

static void print_line(int width, const char *target, const char *about, const char *value, const char *interval,
                       const char *design, const char *times, const char *cost)
{
    char line[256];
    (void)snprintf(line, sizeof line, "%-*s  %-28s %10s  %19s  %10s  %8s  %s", width, target, about, value, interval,
                   design, times, cost);
    for (size_t length = strlen(line); length && line[length - 1] == ' ';)
        line[--length] = 0;
    (void)puts(line);
}

/* The column of targets. */
static int width_of(const struct attack_result *result)
{
    int width = 13;
    for (size_t i = 0; i < result->rows; i++) {
        int length = (int)strlen(result->row[i].target);
        width = length > width ? length : width;
    }
    return width;
}

static void print_row(const struct attack_row *row, int width)
{
    char interval[80] = "-", cost[96] = "";
    if (!isnan(row->interval.low))
        (void)snprintf(interval, sizeof interval, "%s to %s", human_percent(row->interval.low).text,
                       human_percent(row->interval.high).text);
    if (!isnan(row->cost))
        (void)snprintf(cost, sizeof cost, row->cost < 99.95 ? "%.1f %s" : "%.0f %s", row->cost, row->cost_unit);
    print_line(width, row->target, row->about, cell(row, row->value).text, interval, cell(row, row->design).text,
               ratio(row).text, cost);
}

void attack_print_table(const struct attack *attack, const struct attack_request *request,
                        const struct attack_result *result)
{
    (void)printf("%s: %s\nn = %s", attack->name, attack->about, human_count((double)request->plan.n).text);
    if (attack->takes & ATTACK_PLAN)
        (void)printf(", kind %s, design rate %s", request->plan.kind, human_percent(request->plan.fpr).text);
    if (attack->takes & ATTACK_RATE)
        (void)printf(", design rate %s", human_percent(request->plan.fpr).text);
    if (attack->takes & ATTACK_EPSILON)
        (void)printf(", epsilon %g", request->epsilon);
    if (attack->takes & ATTACK_CORPUS)
        (void)printf(", adversarial share %s", human_percent(request->share).text);
    (void)printf("\n\n");
    print_line(width_of(result), "target", "", "value", "99.9 % interval", "design", "x design", "cost");
    for (size_t i = 0; i < result->rows; i++)
        print_row(&result->row[i], width_of(result));
    (void)putchar('\n');
    layout_paragraph(stdout, attack->meaning, 0, 0);
}
