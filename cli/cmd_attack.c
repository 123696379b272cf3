/* SPDX-License-Identifier: MIT */
/* attack: the lab's attacks (lab/attack.h), each against several targets, and one table of what it came to. */
#include "commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"
#include "folder.h"
#include "guess.h"
#include "human.h"
#include "layout.h"
#include "plot.h"
#include "progress.h"
#include "report.h"
#include "say.h"
#include "store.h"
#include "texts.h"

enum { MOST_ITEMS = 10000000, MOST_TRIALS = 100000000 };

/* ---- what is wished ---- */

static const struct attack *find_attack(const char *name)
{
    const struct attack *attack = attack_find(name), *other;
    struct guess guess = {name, NULL, 0};
    for (size_t i = 0; !attack && (other = attack_at(i)); i++)
        guess_consider(&guess, other->name);
    if (!attack)
        (void)say_error("there is no attack %s%s%s%s; see 'ultrafilter attack --help'", name,
                        guess.best ? " (did you mean " : "", guess.best ? guess.best : "", guess.best ? "?)" : "");
    return attack;
}

static int read_rate(const struct args *args, double *out)
{
    if (!args_has(args, OPT_DESIGN_FPR))
        return EXIT_FINE;
    *out = strtod(args->value[OPT_DESIGN_FPR], NULL);
    return *out >= 1e-9 && *out <= 0.5 ? EXIT_FINE
                                       : say_error("%s %s: not a rate from 1e-9 to 0.5",
                                                   args_label(args, OPT_DESIGN_FPR).text, args->value[OPT_DESIGN_FPR]);
}

static int read_epsilon(const struct args *args, double *out)
{
    const char *text = args->value[OPT_EPSILON];
    char *end;
    if (!text)
        return EXIT_FINE;
    *out = strtod(text, &end);
    return *text && !*end && *out >= UF_EPSILON_LEAST && *out <= UF_EPSILON_MOST
               ? EXIT_FINE
               : say_error("--epsilon %s: not a number from 0.05 to 20", text);
}

/* A name may mean a target of either sort, as keyed does. */
static void read_targets(const struct args *args, struct attack_wish *out)
{
    const char *text = args->value[OPT_TARGET];
    out->targets = ATTACK_ALL_TARGETS;
    out->learned = ATTACK_ALL_LEARNED;
    if (!text || !strcmp(text, "all"))
        return;
    out->targets = out->learned = 0;
    for (unsigned id = 0; id < TARGETS; id++)
        out->targets |= (unsigned)!strcmp(text, target_name(id)) << id;
    for (unsigned id = 0; id < LEARNED_TARGETS; id++)
        out->learned |= (unsigned)!strcmp(text, learned_name(id)) << id;
}

/* Keys of one's own decide how many there are. */
static int check_corpus(const struct args *args, const struct attack *attack)
{
    static const enum option_id only[] = {OPT_POSITIVES, OPT_NEGATIVES, OPT_VALID, OPT_ADVERSARIAL_SHARE};
    for (size_t i = 0; i < sizeof only / sizeof only[0]; i++)
        if (args_has(args, only[i]) && !(attack->takes & ATTACK_CORPUS))
            return say_error("%s: %s does not take it; mutate does", args_label(args, only[i]).text, attack->name);
    return texts_wanted(args) ? args_exclusive(args, OPT_CAPACITY, OPT_POSITIVES) : EXIT_FINE;
}

static int read_share(const struct args *args, double *out)
{
    if (args_has(args, OPT_ADVERSARIAL_SHARE))
        *out = strtod(args->value[OPT_ADVERSARIAL_SHARE], NULL);
    return *out <= 1 ? EXIT_FINE
                     : say_error("--adversarial-share %s: not a share from 0 to 1", args->value[OPT_ADVERSARIAL_SHARE]);
}

static int read_plot(const struct args *args, const struct attack *attack)
{
    if (!args_has(args, OPT_PLOT))
        return EXIT_FINE;
    if (!attack->has_plot)
        return say_error("--plot: %s has nothing to draw; pollution and mutate have", attack->name);
    if (plot_missing())
        return say_error("--plot needs gnuplot, which is not here: install it, or leave --plot out");
    return folder_prepare(args->value[OPT_PLOT]);
}

static int read_wish(const struct args *args, const struct attack *attack, struct attack_wish *out)
{
    *out = (struct attack_wish){.plan = {.n = attack->usual.n, .fpr = 0.01},
                                .epsilon = 1,
                                .share = 0.05,
                                .trials = attack->usual.trials,
                                .progress = progress_from_library};
    read_targets(args, out);
    out->seed.given = args_has(args, OPT_SEED);
    out->plan.kind = args_has(args, OPT_PLAIN_KIND) ? args->value[OPT_PLAIN_KIND]
                     : attack->usual.kind           ? attack->usual.kind
                                                    : "blocked";
    if (args_count(args, OPT_CAPACITY, 1, MOST_ITEMS, &out->plan.n) || read_rate(args, &out->plan.fpr) ||
        read_epsilon(args, &out->epsilon) || args_count(args, OPT_ITEMS, 1, MOST_TRIALS, &out->trials) ||
        args_seed(args, &out->seed.value) || check_corpus(args, attack) || read_share(args, &out->share))
        return EXIT_ERROR;
    return read_plot(args, attack);
}

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
                  "plot for [i=2:6] 'mutate.tsv' using i:xticlabels(1) title columnheader(i)\n",
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

static int draw(const char *folder, const struct attack *attack, const struct attack_result *result)
{
    const sigset_t before = store_hold_signals();
    const struct figure *figure = &figures[strcmp(attack->name, figures[0].name) != 0];
    char table[32];
    (void)snprintf(table, sizeof table, "%s.tsv", figure->name);
    int written = plot_replace(folder, table, figure == figures ? write_points : write_rows, result);
    int status = written                     ? say_error("%s/%s: cannot write it: %s", folder, table, strerror(errno))
                 : plot_draw(folder, figure) ? say_error("%s/%s: gnuplot could not draw it", folder, figure->name)
                                             : EXIT_FINE;
    store_let_signals(&before);
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

static json_t *head_object(const struct attack *attack, const struct attack_wish *wish)
{
    json_t *head = json_pack("{s:s, s:I}", "attack", attack->name, "n", (json_int_t)wish->plan.n);
    int failed = 0;
    if (attack->takes & ATTACK_PLAN)
        failed |= json_object_set_new(head, "kind", json_string(wish->plan.kind)) ||
                  json_object_set_new(head, "fpr", json_real(wish->plan.fpr));
    if (attack->takes & ATTACK_EPSILON)
        failed |= json_object_set_new(head, "epsilon", json_real(wish->epsilon));
    if (attack->takes & ATTACK_CORPUS)
        failed |= json_object_set_new(head, "adversarial_share", json_real(wish->share));
    failed |= json_object_set_new(head, "confidence", json_real(ATTACK_CONFIDENCE));
    if (!failed)
        return head;
    json_decref(head);
    return NULL;
}

static int print_object(const struct attack *attack, const struct attack_wish *wish, const struct attack_result *result)
{
    json_t *results = json_array(), *object = head_object(attack, wish);
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

static void print_line(const char *target, const char *about, const char *value, const char *interval,
                       const char *design, const char *times, const char *cost)
{
    char line[256];
    (void)snprintf(line, sizeof line, "%-13s  %-28s %10s  %19s  %10s  %8s  %s", target, about, value, interval, design,
                   times, cost);
    for (size_t length = strlen(line); length && line[length - 1] == ' ';)
        line[--length] = 0;
    (void)puts(line);
}

static void print_row(const struct attack_row *row)
{
    char interval[80] = "-", cost[96] = "";
    if (!isnan(row->interval.low))
        (void)snprintf(interval, sizeof interval, "%s to %s", human_percent(row->interval.low).text,
                       human_percent(row->interval.high).text);
    if (!isnan(row->cost))
        (void)snprintf(cost, sizeof cost, row->cost < 99.95 ? "%.1f %s" : "%.0f %s", row->cost, row->cost_unit);
    print_line(row->target, row->about, cell(row, row->value).text, interval, cell(row, row->design).text,
               ratio(row).text, cost);
}

static void print_table(const struct attack *attack, const struct attack_wish *wish, const struct attack_result *result)
{
    (void)printf("%s: %s\nn = %s", attack->name, attack->about, human_count((double)wish->plan.n).text);
    if (attack->takes & ATTACK_PLAN)
        (void)printf(", kind %s, design rate %s", wish->plan.kind, human_percent(wish->plan.fpr).text);
    if (attack->takes & ATTACK_EPSILON)
        (void)printf(", epsilon %g", wish->epsilon);
    if (attack->takes & ATTACK_CORPUS)
        (void)printf(", adversarial share %s", human_percent(wish->share).text);
    (void)printf("\n\n");
    print_line("target", "", "value", "99.9 % interval", "design", "x design", "cost");
    for (size_t i = 0; i < result->rows; i++)
        print_row(&result->row[i]);
    (void)putchar('\n');
    layout_paragraph(stdout, attack->meaning, 0, 0);
}

static int run_wish(const struct args *args, const struct attack *attack, const struct attack_wish *wish)
{
    struct attack_result result = {.rows = 0};
    uf_error why = {UF_OK, 0, ""};
    progress_library_phase("attacking");
    int status = attack->run(wish, &result, &why);
    progress_hide();
    if (status != UF_OK)
        return say_error("%s", why.text);
    if (!result.rows)
        return say_error("--target %s: %s is no attack on that", args->value[OPT_TARGET], attack->name);
    if (args_has(args, OPT_PLOT) && draw(args->value[OPT_PLOT], attack, &result))
        return EXIT_ERROR;
    if (args_has(args, OPT_JSON))
        return print_object(attack, wish, &result);
    print_table(attack, wish, &result);
    return EXIT_FINE;
}

static int run(const struct args *args)
{
    struct attack_wish wish;
    struct texts texts;
    const struct attack *attack = find_attack(args->operand[0]);
    if (!attack || read_wish(args, attack, &wish))
        return EXIT_ERROR;
    if (!texts_wanted(args))
        return run_wish(args, attack, &wish);
    if (texts_read(args, &texts))
        return EXIT_ERROR;
    wish.corpus = &texts.corpus;
    wish.plan.n = texts.positives.count;
    int status = run_wish(args, attack, &wish);
    texts_free(&texts);
    return status;
}

static const char *word(size_t index, const char **about)
{
    const struct attack *attack = attack_at(index);
    if (!attack)
        return NULL;
    *about = attack->about;
    return attack->name;
}

static const enum option_id options[] = {
    OPT_TARGET,    OPT_PLAIN_KIND, OPT_CAPACITY, OPT_DESIGN_FPR, OPT_EPSILON, OPT_ITEMS, OPT_ADVERSARIAL_SHARE,
    OPT_POSITIVES, OPT_NEGATIVES,  OPT_VALID,    OPT_SEED,       OPT_PLOT,    OPT_JSON,  OPT_PROGRESS,
    OPT_END};

static const struct example examples[] = {
    {"ultrafilter attack blind", "Forged blind: about 50 % against a public hash, 1 % against ours."},
    {"ultrafilter attack pollution -n 1e5 --plot figures", "What chosen inserts do to the rate, and a picture of it."},
    {"ultrafilter attack mutate --positives bad.txt --negatives others.txt --valid more-others.txt",
     "What changing a few characters does to learned filters of one's own keys."},
    {"ultrafilter attack forge --target keyed -p 0.001 --json", "One target, another design rate, for a script."},
    {NULL, NULL},
};

const struct command command_attack = {
    .name = "attack",
    .synopsis = "ATTACK [--target T] [-n N] [-p P] [options]",
    .summary = "attack filters, and compare what comes out with what they promise",
    .description =
        "Carries out an attack against several targets: 'unkeyed' is a filter of ours whose file the attacker has; "
        "'redis' "
        "finds the bits of an item as RedisBloom does, from public constants; 'keyed' is ours with a key that the "
        "attacker "
        "does not have, while they have the file. Every target is planned for N items at the rate P and gets a seed or "
        "key "
        "of its own. The table has what the attack achieved, with the interval that holds the true rate with 99.9 % "
        "confidence, what the target was designed for, and what an item cost the attacker.\n\n"
        "The targets of mutate are learned filters and a keyed one beside them: 'learned' and 'partition' have no key, "
        "'downtown' and 'robust' ask keyed filters whatever the model says. They are built of made-up host names, or "
        "of keys of one's own: a set in --positives, and keys that are not in it in --negatives, to train with, and in "
        "--valid. Every second one of the latter is kept for the attacker to start from.\n\n"
        "Unless options say otherwise, P is 0.01, the kind of our filters is blocked, and the private filters of "
        "enumerate "
        "and average have epsilon 1. N and the number of trials depend on the attack. docs/attacks.md explains them.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the attack was carried out, however it went, 2 on an error.",
    .least = 1,
    .most = 1,
    .operand = "attack",
    .word = word,
    .run = run,
};
