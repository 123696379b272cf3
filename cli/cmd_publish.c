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

#include "commands.h"
#include "feed.h"
#include "human.h"
#include "layout.h"
#include "progress.h"
#include "promise.h"
#include "report.h"
#include "say.h"
#include "store.h"
#include "wish.h"

/* The share of epsilon that a noisy count costs when no capacity is declared. */
#define COUNT_SHARE 0.01

/* ---- what is wanted ---- */

static const char *mechanism_of(const struct publish *job)
{
    const char *said = job->args->value[OPT_MECHANISM];
    return said ? said : job->exact ? "ultra" : "dpset";
}

static int is(const struct publish *job, const char *mechanism)
{
    return !strcmp(mechanism_of(job), mechanism);
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
    double epsilon = strtod(job->args->value[OPT_EPSILON], NULL);
    uf_spec trial = *spec, plan;
    int status = uf_spec_set(&trial, "n", "1", why);
    if (status == UF_OK)
        status = uf_plan(&trial, &plan, why); /* is the whole of it possible? */
    if (status == UF_OK)
        status = set_number(spec, "count_epsilon", COUNT_SHARE * epsilon, why);
    if (status == UF_OK)
        status = set_number(spec, "epsilon", (1 - COUNT_SHARE) * epsilon, why);
    trial = *spec;
    if (status == UF_OK)
        status = uf_spec_set(&trial, "n", "1", why);
    if (status == UF_OK && uf_plan(&trial, &plan, NULL) != UF_OK) {
        status = UF_EIMPOSSIBLE;
        (void)snprintf(why->text, sizeof why->text,
                       "epsilon=%s is too little for a noisy count on top: declare --capacity",
                       job->args->value[OPT_EPSILON]);
    }
    return status;
}

static int spec_for(const struct publish *job, uf_spec *out)
{
    static const enum option_id sizes[] = {OPT_BITS_PER_KEY, OPT_BITS};
    const struct args *args = job->args;
    uf_error why;
    int published = is(job, "published");
    int status = uf_spec_parse(is(job, "dpset") ? "dpset"
                               : published      ? "ultra:mechanism=published"
                                                : "ultra",
                               out, &why);
    if (status == UF_OK)
        status = uf_spec_set(out, "epsilon", args->value[OPT_EPSILON], &why);
    for (int i = 0; i < 2 && status == UF_OK; i++)
        if (args_has(args, sizes[i]))
            status = uf_spec_set(out, i ? "bits" : "bits_per_key", args->value[sizes[i]], &why);
    if (status == UF_OK && args_has(args, OPT_CAPACITY))
        status = uf_spec_set(out, "n", args->value[OPT_CAPACITY], &why);
    else if (status == UF_OK && !job->exact)
        status = split_epsilon(job, out, &why);
    return status == UF_OK ? EXIT_FINE : say_error("%s", why.text);
}

static int check_capacity(const struct args *args)
{
    if (args_has(args, OPT_CAPACITY) && strtod(args->value[OPT_CAPACITY], NULL) < 1)
        return say_error("%s %s: declare room for at least one key, and for all that may come; it is public",
                         args_label(args, OPT_CAPACITY).text, args->value[OPT_CAPACITY]);
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
    if (spec_for(job, &spec))
        return EXIT_ERROR;
    if (uf_builder_new(&spec, &job->context, &builder, &why) != UF_OK)
        return say_error("%s", why.text);
    int status = keys_open(job->args, 0, &input);
    if (!status) {
        status = feed_builder(&input, job->context.threads, builder, &keys);
        progress_library_phase("hiding");
        if (!status && uf_builder_finish(builder, out, &why) != UF_OK)
            status = say_error("%s: %s", input.name, why.text);
        progress_hide();
        keys_close(&input);
    }
    uf_builder_free(builder);
    return status;
}

/* ---- from an exact filter ---- */

/* Whether the operand is a filter and not a file of keys, by how it begins. */
static int is_filter(const struct args *args)
{
    static const char magic[] = "\x89UFL\r\n\x1a\n";
    char head[8];
    if (!args->operands || !strcmp(args->operand[0], "-"))
        return 0;
    FILE *file = fopen(args->operand[0], "rbe");
    size_t size = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        (void)fclose(file);
    return size == sizeof head && !memcmp(head, magic, sizeof head);
}

static int from_exact(const struct publish *job, uf_filter **out)
{
    const char *path = job->args->operand[0];
    uf_filter *exact;
    uf_spec spec;
    uf_error why;
    if (!is(job, "ultra") && !is(job, "published"))
        return say_error("%s is a filter, and %s needs the keys themselves", path, mechanism_of(job));
    if (spec_for(job, &spec) || store_load(path, UF_FORMAT_UF, &job->context, &exact))
        return EXIT_ERROR;
    int status =
        uf_release(exact, &spec, &job->context, out, &why) == UF_OK ? EXIT_FINE : say_error("%s: %s", path, why.text);
    uf_free(exact);
    return status;
}

/* ---- the ledger ---- */

static int charge(const struct publish *job, const uf_filter *filter, uf_ledger_state *now)
{
    const struct args *args = job->args;
    const char *data_set = args_has(args, OPT_DATA_SET) ? args->value[OPT_DATA_SET] : "default";
    double budget = args_has(args, OPT_BUDGET) ? strtod(args->value[OPT_BUDGET], NULL) : 0;
    char id[33];
    uf_claim claim;
    uf_error why;
    uf_get_claim(filter, &claim);
    if (uf_fingerprint(filter, id, &why) != UF_OK ||
        uf_ledger_charge(args->value[OPT_LEDGER], data_set, mechanism_of(job), id, claim.epsilon, budget, now, &why) !=
            UF_OK)
        return say_error("%s", why.text);
    return EXIT_FINE;
}

static int check_ledger(const struct args *args)
{
    static const enum option_id needs[] = {OPT_BUDGET, OPT_DATA_SET};
    for (int i = 0; i < 2; i++)
        if (args_has(args, needs[i]) && !args_has(args, OPT_LEDGER))
            return say_error("%s needs --ledger, the file that keeps account", args_label(args, needs[i]).text);
    return EXIT_FINE;
}

/* ---- what comes out ---- */

static void print_ledger(const uf_ledger_state *state)
{
    char text[256];
    double left = state->left < 1e-6 ? 0 : state->left; /* what rounding leaves is nothing that could be spent */
    if (state->charged > 0)
        (void)snprintf(text, sizeof text, "%.6g of %.6g spent after %llu release%s of this data set; %.6g left.",
                       state->spent, state->budget, (unsigned long long)state->releases,
                       state->releases == 1 ? "" : "s", left);
    else
        (void)snprintf(text, sizeof text, "The same bytes were released before: nothing charged; %.6g of %.6g left.",
                       left, state->budget);
    layout_entry(stdout, "Ledger", text, 17);
}

static int print_human(const struct publish *job, const uf_filter *filter, const uf_ledger_state *state)
{
    char text[PROMISE_TEXT];
    uf_info info;
    uf_claim claim;
    uf_get_info(filter, &info);
    uf_get_claim(filter, &claim);
    (void)printf("%s  %s  %s", job->args->value[OPT_OUTPUT], info.kind, human_bytes((double)info.bytes).text);
    if (info.capacity)
        (void)printf("  %.2f bits per key", (double)info.bits / (double)info.capacity);
    (void)printf("\n");
    uf_released released;
    uf_get_released(filter, &released);
    promise_privacy(&claim, &released, text);
    layout_entry(stdout, "Promise", text, 17);
    promise_accuracy(&claim, text);
    layout_entry(stdout, "Accuracy", text, 17);
    layout_entry(stdout, "Not protected", claim.not_protected, 17);
    if (job->count_cost > 0) {
        (void)snprintf(text, sizeof text,
                       "%.3g of epsilon went into the noisy count that is its capacity, %s. Declare "
                       "--capacity to save it.",
                       job->count_cost, human_count((double)info.capacity).text);
        layout_entry(stdout, "Count", text, 17);
    }
    if (state)
        print_ledger(state);
    return EXIT_FINE;
}

static int print_object(const struct publish *job, const uf_filter *filter, const uf_ledger_state *state)
{
    uf_spec spec;
    uf_info info;
    uf_claim claim;
    uf_get_plan(filter, &spec);
    uf_get_info(filter, &info);
    uf_get_claim(filter, &claim);
    json_t *ledger = state ? json_pack("{s:f, s:f, s:f, s:f}", "charged", state->charged, "spent", state->spent, "left",
                                       state->left, "budget", state->budget)
                           : json_null();
    return report_json(json_pack("{s:o, s:s, s:s, s:s, s:I, s:I, s:o, s:o}", "file",
                                 report_text(job->args->value[OPT_OUTPUT]), "mechanism", mechanism_of(job), "kind",
                                 info.kind, "spec", spec.text, "bytes", (json_int_t)info.bytes, "bits",
                                 (json_int_t)info.bits, "claim", report_claim(&claim), "ledger", ledger));
}

static int finish(const struct publish *job, const uf_filter *filter)
{
    const struct args *args = job->args;
    uf_ledger_state state;
    int status = args_has(args, OPT_LEDGER) ? charge(job, filter, &state) : EXIT_FINE;
    if (!status)
        status = store_save(filter, args->value[OPT_OUTPUT], UF_FORMAT_UF);
    if (status || (args_has(args, OPT_QUIET) && !args_has(args, OPT_JSON)))
        return status;
    const uf_ledger_state *shown = args_has(args, OPT_LEDGER) ? &state : NULL;
    return args_has(args, OPT_JSON) ? print_object(job, filter, shown) : print_human(job, filter, shown);
}

/* Only a released set goes into a filter of any kind; the other mechanisms are filters of their own. */
static int check_set_options(const struct publish *job)
{
    static const enum option_id kind[] = {OPT_KIND, OPT_FPR, OPT_CHILDREN, OPT_REGIONS, OPT_FORCE};
    const struct args *args = job->args;
    if (args_has(args, OPT_UNIVERSE))
        return say_error("--universe is for dime and nickel: %s needs none", mechanism_of(job));
    if (args_has(args, OPT_NEGATIVES) || args_has(args, OPT_VALID))
        return say_error("--negatives and --valid are for the learned kinds of dime and nickel: %s has none",
                         mechanism_of(job));
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++)
        if (args_has(args, kind[i]))
            return say_error("%s is for dime and nickel, which put a released set into a filter of any kind: %s is a "
                             "filter of its own; add --mechanism dime, or leave it out",
                             args_label(args, kind[i]).text, mechanism_of(job));
    return EXIT_FINE;
}

static int publish(struct publish *job)
{
    uf_filter *filter = NULL;
    int set = is(job, "dime") || is(job, "nickel"), status;
    if (!set && check_set_options(job))
        return EXIT_ERROR;
    if (set)
        status = job->exact ? from_exact(job, &filter) : publish_set(job, mechanism_of(job), &filter);
    else
        status = job->exact ? from_exact(job, &filter) : from_keys(job, &filter);
    if (!status && !set && !job->exact && !args_has(job->args, OPT_CAPACITY))
        job->count_cost = COUNT_SHARE * strtod(job->args->value[OPT_EPSILON], NULL);
    if (!status)
        status = finish(job, filter);
    uf_free(filter);
    return status;
}

static int run(const struct args *args)
{
    struct publish job = {.args = args};
    if (args_require(args, OPT_OUTPUT) || args_require(args, OPT_EPSILON) || check_capacity(args) ||
        check_ledger(args) || store_check_target(args->value[OPT_OUTPUT]) || store_open(args, &job.context))
        return EXIT_ERROR;
    job.exact = is_filter(args);
    int status = publish(&job);
    store_close(&job.context);
    return status;
}

static const enum option_id options[] = {
    OPT_OUTPUT, OPT_EPSILON,  OPT_CAPACITY,  OPT_MECHANISM, OPT_UNIVERSE, OPT_KIND,    OPT_FPR,      OPT_BITS_PER_KEY,
    OPT_BITS,   OPT_KEY_FILE, OPT_NEGATIVES, OPT_VALID,     OPT_CHILDREN, OPT_REGIONS, OPT_FORCE,    OPT_LEDGER,
    OPT_BUDGET, OPT_DATA_SET, OPT_NULL,      OPT_THREADS,   OPT_QUIET,    OPT_JSON,    OPT_PROGRESS, OPT_END};

static const struct example examples[] = {
    {"ultrafilter publish -o patients.uf --epsilon 3 --capacity 1e6 patients.txt",
     "A file that may be handed out, at the accuracy limit of its promise."},
    {"ultrafilter publish -o patients.uf --epsilon 3 --capacity 1e6 --ledger patients.ufl --budget 9 patients.txt",
     "The same, with an account of what was spent on this data set."},
    {"ultrafilter publish -o open.uf --epsilon 8 --mechanism dime --universe ipv4:10.0.0.0/8 hosts.txt",
     "A released set of addresses, decoys and all, in a small filter."},
    {"ultrafilter publish -o copy.uf --epsilon 3 exact.uf", "A noisy copy of a bloom filter that you keep."},
    {NULL, NULL},
};

const struct command command_publish = {
    .name = "publish",
    .synopsis = "-o F.uf --epsilon E [--capacity N] [options] [KEYS | - | EXACT.uf]",
    .summary = "write a file of a sensitive set that may be handed out",
    .description =
        "Builds a filter that hides whether any one key is in the set: with or without it, every possible file is "
        "almost as likely, by a factor e^E. Prints what the file promises, how often it is wrong, and what it does not "
        "protect. Keys that come twice count once.\n\n"
        "The capacity N is public; the number of keys is not. Without N, a hundredth of E is spent on a noisy count. "
        "With --key-file, the same set and parameters give the same bytes, so that a second export tells nothing new. "
        "With --ledger, every release is recorded before its file is written, and one that would exceed the budget of "
        "the data set is refused.\n\n"
        "dime and nickel release the set itself, with decoys from a universe that you can list, and put it into a "
        "filter of any kind; nickel hides presence only and is not differential privacy. With a learned kind the model "
        "is trained on what was released and on public negatives, so that it "
        "promises what the release promises. 'published' is the mechanism "
        "of the UltraFilter paper's own code, for comparison: it promises nothing.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the file is written, 2 when not.",
    .least = 0,
    .most = 1,
    .run = run,
};
