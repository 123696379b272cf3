/* SPDX-License-Identifier: MIT */
/*
 * publish: a file of a sensitive set that may be handed out. Plans, builds, charges the ledger, writes, and says what
 * the file promises. Keys go into a private kind (dpset, ultra), or through a set release into any kind
 * (publish_set.c), or there is an exact filter already and a noisy copy is made of it.
 *
 * The order matters: the ledger is charged before the file is there, so that a crash can only charge too much.
 */
#include "publish.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "clock.h"
#include "commands.h"
#include "message.h"
#include "note.h"
#include "numbers.h"
#include "progress.h"
#include "request.h"
#include "secret.h"
#include "shared.h"
#include "store.h"

static const struct option option_mechanism = {
    0, "mechanism", VALUE_CHOICE, "dpset|ultra|dime|nickel|published",
    "How the set is hidden. Default: dpset, which no other beats; ultra for an exact filter."};
static const struct option option_universe = {
    0, "universe", VALUE_TEXT, "U",
    "All keys there could be: range:1-1000000, ipv4:10.0.0.0/8, digits:10, or file:KEYS. Needed by dime and nickel."};
static const struct option option_ledger = {
    0, "ledger", VALUE_TO_LEDGER, "FILE",
    "Charge the release to this ledger first, and refuse it when the budget does not cover it."};
static const struct option option_budget = {
    0, "budget", VALUE_NUMBER, "E",
    "What all releases of the data set may spend together. Needed with the first one only."};
static const struct option option_data_set = {
    0, "data-set", VALUE_TEXT, "NAME",
    "The name of the data set in the ledger: up to 63 visible characters without a space."};

/* The share of epsilon that a noisy count costs when no capacity is declared. */
#define COUNT_SHARE 0.01

/* ---- what is wanted ---- */

static int is(const struct publish *job, const char *mechanism)
{
    return !strcmp(job->mechanism, mechanism);
}

static int set_number(uf_spec *spec, const char *name, double value, uf_error *why)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.17g", value);
    return uf_spec_set(spec, name, text, why);
}

/* Without a capacity: n is a noisy count, and both together cost what was asked for. */
static int split_epsilon(const struct publish *job, uf_spec *spec, uf_error *why)
{
    static const char some_keys[] = "65536"; /* small filters take more bits per key */
    double epsilon = job->epsilon;
    uf_spec trial = *spec, plan;
    int status = uf_spec_set(&trial, "n", some_keys, why);
    if (status == UF_OK)
        status = uf_plan(&trial, &plan, why); /* is the whole of it possible? */
    if (status == UF_OK)
        status = set_number(spec, "count_epsilon", COUNT_SHARE * epsilon, why);
    if (status == UF_OK)
        status = set_number(spec, "epsilon", (1 - COUNT_SHARE) * epsilon, why);
    trial = *spec;
    if (status == UF_OK)
        status = uf_spec_set(&trial, "n", some_keys, why);
    if (status == UF_OK && uf_plan(&trial, &plan, NULL) != UF_OK) {
        status = UF_EIMPOSSIBLE;
        (void)snprintf(why->text, sizeof why->text,
                       "epsilon=%s is too little for a noisy count on top: declare --capacity",
                       args_value(job->args, &option_epsilon));
    }
    return status;
}

static int spec_for(const struct publish *job, uf_spec *out)
{
    static const struct option *const sizes[] = {&option_bits_per_key, &option_bits};
    const struct args *args = job->args;
    uf_error why;
    int published = is(job, "published");
    int status = uf_spec_parse(is(job, "dpset") ? "dpset"
                               : published      ? "ultra:mechanism=published"
                                                : "ultra",
                               out, &why);
    if (status == UF_OK)
        status = uf_spec_set(out, "epsilon", args_value(args, &option_epsilon), &why);
    for (int i = 0; i < 2 && status == UF_OK; i++)
        if (args_has(args, sizes[i]))
            status = uf_spec_set(out, i ? "bits" : "bits_per_key", args_value(args, sizes[i]), &why);
    if (status == UF_OK && args_has(args, &option_prefer))
        status = uf_spec_set(out, "prefer", args_value(args, &option_prefer), &why);
    if (status == UF_OK && args_has(args, &option_capacity))
        status = uf_spec_set(out, "n", args_value(args, &option_capacity), &why);
    else if (status == UF_OK && !job->exact)
        status = split_epsilon(job, out, &why);
    return status == UF_OK ? EXIT_FINE : print_error("%s", why.text);
}

static int check_prefer(const struct publish *job)
{
    const struct args *args = job->args;
    if (!args_has(args, &option_prefer) || is(job, "dpset"))
        return EXIT_FINE;
    return print_error("--prefer %s is for dpset, which has variants to choose from: %s has none; leave it out",
                       args_value(args, &option_prefer), job->mechanism);
}

static int check_capacity(const struct args *args)
{
    if (args_has(args, &option_capacity) && strtod(args_value(args, &option_capacity), NULL) < 1)
        return print_error("%s %s: declare room for at least one key, and for all that may come; it is public",
                           args_label(args, &option_capacity).text, args_value(args, &option_capacity));
    return EXIT_FINE;
}

/* ---- from keys ---- */

static int from_keys(const struct publish *job, uf_filter **out)
{
    uf_spec spec;
    struct keys_input input;
    uf_builder *builder = NULL;
    uint64_t keys;
    uf_error why;
    if (secret_check_use(job->args) || spec_for(job, &spec))
        return EXIT_ERROR;
    if (uf_builder_new(&spec, &job->context, &builder, &why) != UF_OK)
        return print_error("%s", why.text);
    int status = keys_open_source(job->source, job->args, 0, &job->format, &input);
    if (!status) {
        status = build_feed(&input, job->context.threads, builder, &keys);
        progress_library_phase("hiding");
        if (!status && uf_builder_finish(builder, out, &why) != UF_OK)
            status = print_error("%s: %s", input.name, why.text);
        progress_hide();
        keys_close(&input);
    }
    uf_builder_free(builder);
    return status;
}

/* ---- from an exact filter ---- */

static int from_exact(struct publish *job, uf_filter **out)
{
    const char *path = job->source->name;
    uf_filter *exact;
    uf_spec spec;
    uf_error why;
    if (!is(job, "ultra") && !is(job, "published"))
        return print_error("%s is a filter, and %s needs the keys themselves", path, job->mechanism);
    if (job->args->operands > 1)
        return print_error("%s is a filter, and a copy is of one alone: %s would be left out; merge filters, or insert "
                           "keys, before",
                           path, job->args->operand[1]);
    if (spec_for(job, &spec) || store_load_source(job->source, 0, &job->context, &exact, NULL))
        return EXIT_ERROR;
    int status =
        uf_release(exact, &spec, &job->context, out, &why) == UF_OK ? EXIT_FINE : print_error("%s: %s", path, why.text);
    if (!status)
        publish_warn_overfull(path, exact);
    uf_free(exact);
    if (!status)
        publish_compare(job, *out);
    return status;
}

/* ---- the ledger ---- */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int charge(const struct publish *job, const uf_filter *filter, uf_ledger_state *now)
{
    const struct args *args = job->args;
    uf_charge what = UF_CHARGE_INIT;
    uf_claim claim;
    uf_error why;
    uf_get_claim(filter, &claim, sizeof claim);
    what.data_set = args_has(args, &option_data_set) ? args_value(args, &option_data_set) : "default";
    what.mechanism = job->mechanism;
    what.id = job->id;
    what.epsilon = claim.epsilon;
    what.delta = claim.delta;
    (void)args_positive(args, &option_budget, &what.budget); /* check_ledger has looked at it */
    what.label = args_value(args, &option_label);
    what.file = name_of(args_value(args, &option_output));
    if (clock_read(&what.time))
        return EXIT_ERROR;
    return uf_ledger_charge(args_value(args, &option_ledger), &what, now, sizeof *now, &why) == UF_OK
               ? EXIT_FINE
               : print_error("%s", why.text);
}

static int check_ledger(const struct args *args)
{
    static const struct option *const needs[] = {&option_budget, &option_data_set};
    for (int i = 0; i < 2; i++)
        if (args_has(args, needs[i]) && !args_has(args, &option_ledger))
            return print_error("%s needs --ledger, the file that keeps account", args_label(args, needs[i]).text);
    return args_positive(args, &option_budget, &(double){0});
}

static int finish(struct publish *job, const uf_filter *filter)
{
    const struct args *args = job->args;
    uf_ledger_state state;
    uf_error why;
    if (uf_fingerprint(filter, job->id, &why) != UF_OK)
        return print_error("%s", why.text);
    int status = args_has(args, &option_ledger) ? charge(job, filter, &state) : EXIT_FINE;
    if (!status)
        status = store_save(filter, args_value(args, &option_output), UF_FORMAT_UF);
    if (status || (args_has(args, &option_quiet) && !args_has(args, &option_json)))
        return status;
    const uf_ledger_state *shown = args_has(args, &option_ledger) ? &state : NULL;
    return args_has(args, &option_json) ? publish_print_json(job, filter, shown) : publish_print(job, filter, shown);
}

/* Only a released set goes into a filter of any kind; the other mechanisms are filters of their own. */
static int check_set_options(const struct publish *job)
{
    static const struct option *const kind[] = {&option_kind, &option_fpr, &option_children, &option_regions,
                                                &option_force};
    const struct args *args = job->args;
    if (args_has(args, &option_universe))
        return print_error("--universe is for dime and nickel: %s needs none", job->mechanism);
    if (args_has(args, &option_negatives) || args_has(args, &option_valid))
        return print_error("--negatives and --valid are for the learned kinds of dime and nickel: %s has none",
                           job->mechanism);
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++)
        if (args_has(args, kind[i]))
            return print_error("%s is for dime and nickel, which put a released set into a filter of any kind: %s is a "
                               "filter of its own; add --mechanism dime, or leave it out",
                               args_label(args, kind[i]).text, job->mechanism);
    return EXIT_FINE;
}

static int publish(struct publish *job)
{
    uf_filter *filter = NULL;
    int set = is(job, "dime") || is(job, "nickel"), status;
    if (check_prefer(job) || (!set && check_set_options(job)))
        return EXIT_ERROR;
    if (set)
        status = job->exact ? from_exact(job, &filter) : publish_set(job, &filter);
    else
        status = job->exact ? from_exact(job, &filter) : from_keys(job, &filter);
    if (!status && !job->exact)
        (void)uf_set_normal(filter, job->format.normal);
    if (!status && !set && !job->exact && !args_has(job->args, &option_capacity))
        job->count_cost = COUNT_SHARE * job->epsilon;
    if (!status)
        status = note_put(job->args, filter);
    if (!status)
        status = finish(job, filter);
    uf_free(filter);
    return status;
}

static int run(const struct args *args)
{
    struct publish job = {.args = args, .universe = args_value(args, &option_universe)};
    if (args_require(args, &option_output) || args_require(args, &option_epsilon) ||
        args_epsilon(args, &option_epsilon, &job.epsilon) || keys_read_format(args, &job.format) ||
        note_check(args, UF_FORMAT_UF) || check_capacity(args) || check_ledger(args) || secret_check(args) ||
        store_check_output(args_value(args, &option_output)) || store_open(args, &job.context))
        return EXIT_ERROR;
    struct source source;
    if (keys_open_bytes(args_operand(args, 0), &job.format, &source)) {
        store_close(&job.context);
        return EXIT_ERROR;
    }
    job.source = &source;
    job.format.secret = true;
    /* Of keys that are no lines any one may come first and look like a filter, such as 1 in eight bytes. */
    job.exact = !job.format.raw && keys_are_lines(&job.format) && content_is_filter(source.content);
    job.mechanism = args_has(args, &option_mechanism) ? args_value(args, &option_mechanism)
                    : job.exact                       ? "ultra"
                                                      : "dpset";
    int status = publish(&job);
    source_close(&source);
    store_close(&job.context);
    return status;
}

static const struct option *const options[] = {&option_output,
                                               &option_overwrite,
                                               &option_epsilon,
                                               &option_capacity,
                                               &option_mechanism,
                                               &option_universe,
                                               &option_prefer,
                                               &option_kind,
                                               &option_fpr,
                                               &option_bits_per_key,
                                               &option_bits,
                                               &option_key_file,
                                               &option_label,
                                               &option_negatives,
                                               &option_valid,
                                               &option_children,
                                               &option_regions,
                                               &option_force,
                                               &option_odds,
                                               &option_ledger,
                                               &option_budget,
                                               &option_data_set,
                                               KEYS_OPTIONS,
                                               &option_lowercase,
                                               &option_trim,
                                               NOTE_OPTIONS,
                                               &option_threads,
                                               &option_quiet,
                                               &option_json,
                                               &option_progress,
                                               NULL};

static const struct example examples[] = {
    {"ultrafilter publish -o patients.uf --epsilon 3 --capacity 1e6 patients.txt",
     "A file that may be handed out, at the accuracy limit of its promise."},
    {"ultrafilter publish -o patients.uf --epsilon 3 --capacity 1e6 --ledger patients.ufl --budget 9 patients.txt",
     "The same, with an account of what was spent on this data set."},
    {"ultrafilter publish -o patients.uf --epsilon 3 --capacity 1e6 --key-file our.key --label 2026-05 patients.txt",
     "A release that can be made again, byte for byte, as long as the set stays."},
    {"ultrafilter publish -o open.uf --epsilon 8 --mechanism dime --universe ipv4:10.0.0.0/8 hosts.txt",
     "A released set of addresses, decoys and all, in a small filter."},
    {"ultrafilter publish -o copy.uf --epsilon 3 exact.uf",
     "A noisy copy of a bloom filter that you keep, made by 'build --for-release'."},
    {NULL, NULL},
};

const struct command command_publish = {
    .name = "publish",
    .synopsis = "-o F.uf --epsilon E [--capacity N] [options] [KEYS ... | - | EXACT.uf]",
    .summary = "write a file of a sensitive set that may be handed out",
    .description =
        "Builds a filter that hides whether any one key is in the set: with or without it, every possible file is "
        "almost as likely, by a factor e^E. Prints what the file promises, how often it is wrong, and what it does not "
        "protect. Keys that come twice count once.\n\n"
        "The capacity N is public; the number of keys is not. Without N, a hundredth of E is spent on a noisy count. "
        "Every release has fresh coins and costs E, even of a set that did not change, unless --key-file and --label "
        "name one that was made before: the same label, set and parameters give the same bytes, which tell nothing "
        "new. "
        "A copy of EXACT.uf has its capacity, which must have been declared, and its shape: 'build --for-release' "
        "makes both right. "
        "With --ledger, every release is recorded before its file is written, and refused when it would exceed the "
        "budget of the data set, or has the label of another release. The date in the ledger is that of "
        "SOURCE_DATE_EPOCH when this is set.\n\n"
        "dime and nickel release the set itself, with decoys from a universe that you can list, and put it into a "
        "filter of any kind; nickel hides presence only and is not differential privacy. With a learned kind the model "
        "is trained on what was released and on public negatives, so that it "
        "promises what the release promises. 'published' is the mechanism "
        "of the UltraFilter paper's own code, for comparison: it promises nothing.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the file is written, 2 when not.",
    .least = 0,
    .most = (size_t)-1,
    .run = run,
};
