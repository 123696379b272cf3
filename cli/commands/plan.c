/* SPDX-License-Identifier: MIT */
/*
 * plan: the best design of each kind for a request, beside the limit of any filter: to accept a share f of
 * other keys takes log2(1/f) bits per key. Nothing is built. With --epsilon: plan_private.c.
 */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "human.h"
#include "layout.h"
#include "message.h"
#include "plan_private.h"
#include "report.h"
#include "request.h"
#include "shared.h"

enum { MOST_KINDS = 32 };

struct design {
    const char *kind;
    int status; /* of uf_plan; when it is not UF_OK, only `why` means anything */
    uf_spec spec;
    uf_error why;
    double n, bits, fpr, fnr, k; /* k is NaN for kinds that have none */
    double file_bytes;           /* of the file that comes of it; NaN when nobody can tell before it is made */
};

struct table {
    struct design design[MOST_KINDS];
    size_t count;
    bool by_size;   /* the rate is given: smallest first. Otherwise the size is: lowest rate first */
    bool asks_keys; /* both are given: most keys first */
};

static double get_or(const uf_spec *spec, const char *name, double otherwise)
{
    double value;
    return uf_spec_get(spec, name, &value) == UF_OK ? value : otherwise;
}

static double per_key(const struct design *design)
{
    return design->n > 0 ? design->bits / design->n : NAN;
}

static double least_bits_per_key(double fpr)
{
    return fpr > 0 ? -log2(fpr) : INFINITY;
}

/* 2 TP / (2 TP + FP + FN) with as many others as members. */
static double f1(double fpr, double fnr)
{
    return 2 * (1 - fnr) / (2 - fnr + fpr);
}

/* The size of its file. That a filter is too large for this machine is one thing, that there is no memory to look at
 * its plan another. */
static void plan_file(struct design *design)
{
    uf_sizes sizes;
    uf_error why;
    const int status = uf_plan_sizes(&design->spec, &sizes, sizeof sizes, &why);
    design->file_bytes = status == UF_OK ? (double)sizes.file_bytes : NAN;
    if (status == UF_ENOMEM && design->bits / 8 < (double)SIZE_MAX) {
        design->status = status;
        design->why = why;
    }
}

static void plan_kind(const struct args *args, const char *kind, struct design *out)
{
    *out = (struct design){.kind = kind};
    uf_spec want;
    out->status = request_spec(args, kind, &want, &out->why);
    if (out->status == UF_OK)
        out->status = uf_plan(&want, &out->spec, &out->why);
    if (out->status != UF_OK)
        return;
    out->n = get_or(&out->spec, "n", 0);
    out->bits = get_or(&out->spec, "bits", get_or(&out->spec, "bits_per_key", NAN) * out->n);
    out->fpr = get_or(&out->spec, "fpr", NAN);
    out->fnr = get_or(&out->spec, "fnr", 0);
    out->k = get_or(&out->spec, "k", NAN);
    plan_file(out);
}

/* Private kinds have a table of their own, with --epsilon; the sizes of learned ones follow from the keys. */
static int is_another_story(const char *kind)
{
    return (uf_kind_traits(kind) & (UF_TRAIT_PRIVATE | UF_TRAIT_LEARNED)) != 0;
}

static int is_wanted(const struct args *args, const char *kind)
{
    if (args_has(args, &option_kind))
        return !strcmp(kind, args_value(args, &option_kind));
    if (is_another_story(kind))
        return 0;
    return strcmp(kind, "dcso") != 0; /* there to read old files: bloom is the same filter, made better */
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int better(const void *left, const void *right, void *arg)
{
    const struct design *a = left, *b = right;
    const struct table *table = arg;
    int failed = (a->status != UF_OK) - (b->status != UF_OK);
    int size = compare(a->bits, b->bits), rate = compare(a->fpr, b->fpr), keys = compare(b->n, a->n);
    if (failed || keys)
        return failed ? failed : keys;
    if (table->by_size)
        return size ? size : rate;
    return rate ? rate : size;
}

static void plan_all(const struct args *args, struct table *out)
{
    const char *kind;
    out->count = 0;
    out->by_size =
        args_has(args, &option_fpr) || !(args_has(args, &option_bits) || args_has(args, &option_bits_per_key));
    out->asks_keys = !args_has(args, &option_capacity);
    for (size_t i = 0; (kind = uf_kind_name(i)) && out->count < MOST_KINDS; i++)
        if (is_wanted(args, kind))
            plan_kind(args, kind, &out->design[out->count++]);
    qsort_r(out->design, out->count, sizeof out->design[0], better, out);
}

/* The limit for the same request: its rate, or the rate that its size could reach. */
static double limit_rate(const struct args *args, const struct table *table)
{
    if (args_has(args, &option_fpr))
        return strtod(args_value(args, &option_fpr), NULL);
    if (args_has(args, &option_bits_per_key))
        return exp2(-strtod(args_value(args, &option_bits_per_key), NULL));
    if (args_has(args, &option_bits) && table->design[0].n > 0)
        return exp2(-strtod(args_value(args, &option_bits), NULL) / table->design[0].n);
    return 0.001; /* the library's default, as --help says */
}

static json_t *design_object(const struct design *design)
{
    json_t *bytes = isfinite(design->bits) ? json_integer((json_int_t)ceil(design->bits / 8)) : json_null();
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:n}", "mechanism", design->kind, "spec",
                     design->spec.text, "fpr", report_number(design->fpr), "fnr", report_number(design->fnr), "sum",
                     report_number(design->fpr + design->fnr), "f1", report_number(f1(design->fpr, design->fnr)),
                     "bits_per_key", report_number(per_key(design)), "bytes", bytes, "file_bytes",
                     report_number(design->file_bytes), "epsilon");
}

static int print_object(const struct table *table, double limit)
{
    json_t *designs = json_array(), *impossible = json_array();
    for (size_t i = 0; i < table->count; i++) {
        const struct design *design = &table->design[i];
        if (design->status == UF_OK)
            (void)json_array_append_new(designs, design_object(design));
        else
            (void)json_array_append_new(
                impossible, json_pack("{s:s, s:o}", "mechanism", design->kind, "why", report_text(design->why.text)));
    }
    return report_json(json_pack("{s:{s:o, s:o, s:o, s:o, s:o}, s:o, s:o}", "limit", "fpr", report_number(limit), "fnr",
                                 report_number(0), "sum", report_number(limit), "f1", report_number(f1(limit, 0)),
                                 "bits_per_key", report_number(least_bits_per_key(limit)), "designs", designs,
                                 "impossible", impossible));
}

/* "-" for what a kind does not have or a plan does not tell. */
static struct human cell(const char *format, double value)
{
    struct human out = {"-"};
    if (isfinite(value))
        (void)snprintf(out.text, sizeof out.text, format, value);
    return out;
}

/* A line of the table; the keys only where they are what is asked for. */
static void print_row(const char *kind, const char *per_key, const char *size, const char *fpr, const char *k,
                      const char *of_limit, const char *keys)
{
    (void)printf("%-10s %12s  %10s  %10s  %4s  %11s", kind, per_key, size, fpr, k, of_limit);
    (void)printf(*keys ? "  %12s\n" : "%s\n", keys);
}

static void print_design(const struct table *table, const struct design *design)
{
    double bytes = design->file_bytes;
    print_row(design->kind, cell("%.2f", per_key(design)).text, isfinite(bytes) ? human_bytes(bytes).text : "-",
              isfinite(design->fpr) ? human_percent(design->fpr).text : "-", cell("%.0f", design->k).text,
              cell("%.2f x", per_key(design) / least_bits_per_key(design->fpr)).text,
              table->asks_keys ? human_count(design->n).text : "");
}

static void print_table(const struct table *table, double limit)
{
    size_t possible = 0;
    while (possible < table->count && table->design[possible].status == UF_OK)
        possible++;
    if (possible) {
        const struct design *first = &table->design[0];
        if (table->asks_keys)
            (void)printf("For %s at %s\n\n", human_bytes(ceil(first->bits / 8)).text, human_percent(limit).text);
        else
            (void)printf("For %s key%s\n\n", human_count(first->n).text, first->n == 1 ? "" : "s");
        print_row("kind", "bits per key", "size", "FPR", "k", "of limit", table->asks_keys ? "keys" : "");
    }
    for (size_t i = 0; i < possible; i++)
        print_design(table, &table->design[i]);
    if (possible)
        (void)printf("%-10s %12.2f  %10s  %10s\n\n", "limit", least_bits_per_key(limit), "", human_percent(limit).text);
    for (size_t i = 0; i < possible; i++)
        layout_entry(stdout, table->design[i].kind, table->design[i].spec.text, 12);
    if (possible < table->count)
        (void)printf("%sNot possible:\n", possible ? "\n" : "");
    for (size_t i = possible; i < table->count; i++)
        layout_entry(stdout, table->design[i].kind, table->design[i].why.text, 12);
}

static int run(const struct args *args)
{
    struct table table;
    if (args_has(args, &option_epsilon) || args_has(args, &option_universe_size) || args_has(args, &option_prefer))
        return plan_private(args);
    const bool keys_follow = args_has(args, &option_bits) && args_has(args, &option_fpr);
    if ((!keys_follow && args_require(args, &option_capacity)) || request_check(args))
        return EXIT_ERROR;
    plan_all(args, &table);
    for (size_t i = 0; i < table.count; i++)
        if (table.design[i].status == UF_ENOMEM)
            return print_error("%s", table.design[i].why.text);
    /* Nothing possible is an error; a request that makes no sense has the same reason for every kind. */
    if (!table.count || table.design[0].status != UF_OK)
        return print_error("%s", table.count ? table.design[0].why.text : "no kind to plan");
    double limit = limit_rate(args, &table);
    if (args_has(args, &option_json))
        return print_object(&table, limit);
    print_table(&table, limit);
    return EXIT_FINE;
}

static const struct option *const options[] = {
    &option_capacity, &option_fpr,    &option_bits,          &option_bits_per_key, &option_kind,
    &option_epsilon,  &option_prefer, &option_universe_size, &option_json,         NULL};

/* What a learned filter does under a share of attacks is a question of theory, and the lab answers it. */
static const struct moved moved[] = {
    {"adversarial-share", "ultrafilter-lab hybrid --adversarial-share"},
    {"model-bytes", "ultrafilter-lab hybrid --model-bytes"},
    {"model-fpr", "ultrafilter-lab hybrid --model-fpr"},
    {"model-fnr", "ultrafilter-lab hybrid --model-fnr"},
    {NULL, NULL},
};

static const struct example examples[] = {
    {"ultrafilter plan -n 1e6 -p 0.01", "What a million keys at 1 % take, kind by kind."},
    {"ultrafilter plan -n 1e6 --bits-per-key 8", "What 8 bits per key can do."},
    {"ultrafilter plan --bits 8e6 -p 0.01", "How many keys a megabyte can hold at 1 %."},
    {"ultrafilter plan -n 1e6 --epsilon 3", "What a file that keeps its keys private can do."},
    {NULL, NULL},
};

const struct command command_plan = {
    .name = "plan",
    .synopsis = "{-n N [-p P] [--bits M | --bits-per-key B] | --bits M -p P | -n N --epsilon E [--bits-per-key B] "
                "[--prefer P] [--universe-size U]} [options]",
    .summary = "compare designs before building",
    .description =
        "Prints the best design of each kind for N keys, smallest first: bits per key, size, false-positive rate, and "
        "how far that is from the limit that no filter can beat. With a size instead of a rate, the lowest rate comes "
        "first; with a size and a rate but no N, what holds the most keys. Below the table stands the spec of each "
        "design, for 'build --spec'.\n\n"
        "With --epsilon, the best design of each mechanism that hides single keys: members that are missed (FNR) and "
        "others that are accepted (FPR), fewest of both first, and the limit that no file with this promise can beat. "
        "Of dpset every variant is there, with the sum of errors over the limit, about what a key costs to build and "
        "to "
        "ask for on one core of 2020, and which one publish takes, by default and with --prefer; --prefer P puts its "
        "choice first. The ideal is what equations of that promise take without a spare slot. "
        "Without --bits-per-key, dpset takes the bits it needs and the others 16. Mechanisms that must list every key "
        "there could be are shown for --universe-size, or else for 2, 16 and 1024 times N.",
    .options = options,
    .moved = moved,
    .examples = examples,
    .exit_status = "0 when at least one kind can do it, 2 when none can.",
    .least = 0,
    .most = 0,
    .run = run,
};
