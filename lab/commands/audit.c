/* SPDX-License-Identifier: MIT */
/*
 * audit: what a mechanism was seen to do, against the epsilon it claims. The experiments are those of lab/audit.h; here
 * is what to audit, and how to say the result.
 */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "human.h"
#include "lab_options.h"
#include "layout.h"
#include "message.h"
#include "numbers.h"
#include "progress.h"
#include "report.h"

static const struct option option_release = {0, "mechanism", VALUE_CHOICE, "dime|nickel",
                                             "A release of the set itself, with --epsilon, instead of a filter."};
static const struct option option_canaries = {0, "canaries", VALUE_NUMBER, "C",
                                              "One run with C canaries instead of two worlds."};
static const struct option option_base = {'n', "base", VALUE_NUMBER, "N",
                                          "Other keys that are in the set in any case. Default: none."};
static const struct option option_claim = {0, "claim", VALUE_NUMBER, "E",
                                           "The epsilon to hold it against. Default: what it claims itself."};

enum { DEFAULT_TRIALS = 20000, MOST_TRIALS = 1000000000, MOST_KEYS = 10000000 };
static const double confidence = 0.95;

struct question {
    struct subject subject;
    uf_universe *universe; /* owned */
    char name[sizeof(uf_spec)];
    char release[64];
    struct audit audit;
    double claim;
    bool own_claim;     /* the filter's, not --claim */
    bool presence_only; /* nickel */
};

/* ---- what to audit ---- */

static int check_options(const struct args *args)
{
    if (!args_has(args, &option_spec) && !args_has(args, &option_release))
        return print_error(
            "say what to audit: --spec, or --mechanism and --epsilon; see 'ultrafilter-lab audit --help'");
    if (args_exclusive(args, &option_spec, &option_release) || args_exclusive(args, &option_spec, &option_epsilon) ||
        args_exclusive(args, &option_spec, &option_universe_size) ||
        args_exclusive(args, &option_trials, &option_canaries))
        return EXIT_ERROR;
    return args_has(args, &option_spec) ? EXIT_FINE : args_require(args, &option_epsilon);
}

static int read_audit(const struct args *args, unsigned threads, struct audit *out)
{
    uint64_t base = 0, canaries = 0;
    *out = (struct audit){.confidence = confidence,
                          .trials = {.count = DEFAULT_TRIALS, .threads = threads, .progress = progress_from_library}};
    if (args_whole(args, &option_trials, 1, MOST_TRIALS, &out->trials.count) ||
        args_whole(args, &option_canaries, 1, MOST_KEYS, &canaries) ||
        args_whole(args, &option_base, 0, MOST_KEYS, &base) || args_seed(args, &option_seed, &out->trials.seed.value))
        return EXIT_ERROR;
    out->trials.seed.given = args_has(args, &option_seed);
    out->base = (size_t)base;
    out->canaries = (size_t)canaries;
    return EXIT_FINE;
}

/* A private kind refuses more keys than it was planned for, and how many canaries there are is up to coins. */
static int check_capacity(const struct question *question)
{
    double n, epsilon, need = (double)(question->audit.base + question->audit.canaries);
    const uf_spec *spec = &question->subject.spec;
    if (uf_spec_get(spec, "epsilon", &epsilon) != UF_OK || uf_spec_get(spec, "n", &n) != UF_OK || n >= need)
        return EXIT_FINE;
    return print_error("%s cannot hold %s keys: raise n to that number", question->name, human_count(need).text);
}

static int take_spec(const struct args *args, struct question *out)
{
    uf_error why;
    if (subject_parse(args_value(args, &option_spec), &out->subject, &why) != UF_OK ||
        audit_claim(&out->subject, &out->claim, &why) != UF_OK)
        return print_error("%s: %s", args_value(args, &option_spec), why.text);
    (void)snprintf(out->name, sizeof out->name, "%s", out->subject.spec.text);
    return check_capacity(out);
}

/* Dime's epsilon is what it claims; Nickel protects presence only. */
static int take_release(const struct args *args, struct question *out)
{
    const char *mechanism = args_value(args, &option_release), *text_epsilon = args_value(args, &option_epsilon);
    double epsilon = NAN;
    const size_t canaries = out->audit.canaries, most = out->audit.base + (canaries ? canaries : 1);
    uint64_t size = most;
    char text[64];
    uf_error why;
    if (args_epsilon(args, &option_epsilon, &epsilon) ||
        args_whole(args, &option_universe_size, most, MOST_KEYS, &size))
        return EXIT_ERROR;
    (void)snprintf(out->release, sizeof out->release, "%s:epsilon=%.40s", mechanism, text_epsilon);
    (void)snprintf(out->name, sizeof out->name, "%s,universe=%llu", out->release, (unsigned long long)size);
    (void)snprintf(text, sizeof text, "range:1-%llu", (unsigned long long)size);
    if (uf_universe_parse(text, NULL, &out->universe, &why) != UF_OK)
        return print_error("%s", why.text);
    out->subject.release = out->release;
    out->subject.universe = out->universe;
    out->presence_only = !strcmp(mechanism, "nickel");
    out->claim = out->presence_only ? NAN : epsilon;
    return EXIT_FINE;
}

static int take_claim(const struct args *args, struct question *out)
{
    out->own_claim = !args_has(args, &option_claim);
    if (!out->own_claim)
        out->claim = strtod(args_value(args, &option_claim), NULL);
    if (isnan(out->claim))
        return print_error(
            "%s: it claims no epsilon that could be checked; say which one to hold it against: --claim 1", out->name);
    return EXIT_FINE;
}

/* ---- saying it ---- */

static const char *verdict(double epsilon, double claim)
{
    return epsilon > claim ? "broken" : "consistent";
}

static json_t *result(const struct question *question, const char *metric, double value, double low, double high,
                      double design, uint64_t trials)
{
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:I}", "target", report_text(question->name), "metric", metric,
                     "value", report_number(value), "low", report_number(low), "high", report_number(high), "design",
                     report_number(design), "trials", (json_int_t)trials);
}

static int print_object(const struct question *question, const char *experiment, double epsilon, json_t *results)
{
    return report_json(json_pack("{s:s, s:s, s:o, s:o, s:o}", "verdict", verdict(epsilon, question->claim),
                                 "experiment", experiment, "claim", report_number(question->claim), "confidence",
                                 report_number(confidence), "results", results));
}

/* A lower bound: there is no upper end. */
static json_t *bound(const struct question *question, const char *metric, double epsilon, uint64_t trials)
{
    return result(question, metric, epsilon, epsilon, NAN, question->claim, trials);
}

/* `visible` is the most that so many trials could have shown, of a mechanism without any noise. */
static void print_verdict(const struct question *question, double epsilon, double visible)
{
    const char *whose = question->own_claim ? "as it claims" : "as --claim says";
    if (visible <= question->claim)
        (void)printf("So few trials cannot show more than %.2f, whatever is audited.\n", visible);
    if (epsilon > question->claim)
        (void)printf("Broken: it is not epsilon %.4g, %s, but at least %.4f.\n", question->claim, whose, epsilon);
    else
        (void)printf("Consistent with epsilon %.4g, %s.\n", question->claim, whose);
}

static void print_rate(const char *what, uint64_t hits, uint64_t trials, struct interval rate)
{
    (void)printf("%-27s %11s of %-11s %.4f  [%.4f, %.4f]\n", what, human_count((double)hits).text,
                 human_count((double)trials).text, (double)hits / (double)trials, rate.low, rate.high);
}

static void print_heading(const struct question *question)
{
    layout_paragraph(stdout, question->name, 0, 2);
}

static int report_worlds(const struct args *args, const struct question *question, const struct audit_worlds *worlds)
{
    struct audit_worlds most = {.trials = worlds->trials, .with = worlds->trials};
    double n = (double)worlds->trials;
    if (args_has(args, &option_json))
        return print_object(
            question, "two worlds", worlds->epsilon,
            json_pack("[o, o, o, o, o]", bound(question, "epsilon", worlds->epsilon, worlds->trials),
                      bound(question, "epsilon_accepted", worlds->accepted, worlds->trials),
                      bound(question, "epsilon_rejected", worlds->rejected, worlds->trials),
                      result(question, "accepted_with", (double)worlds->with / n, worlds->with_rate.low,
                             worlds->with_rate.high, NAN, worlds->trials),
                      result(question, "accepted_without", (double)worlds->without / n, worlds->without_rate.low,
                             worlds->without_rate.high, NAN, worlds->trials)));
    audit_compare(&most, confidence);
    print_heading(question);
    print_rate("x in the set, x accepted", worlds->with, worlds->trials, worlds->with_rate);
    print_rate("x not in it, x accepted", worlds->without, worlds->trials, worlds->without_rate);
    (void)printf("epsilon is at least %.4f (x accepted: %.4f, x not accepted: %.4f), with 95 %% confidence\n",
                 worlds->epsilon, worlds->accepted, worlds->rejected);
    if (question->presence_only)
        (void)printf("Nickel protects presence only: 'x accepted' is what it bounds, and the other shows absence.\n");
    print_verdict(question, worlds->epsilon, most.epsilon);
    return EXIT_FINE;
}

/* Said when the filter's own errors hide more than a fiftieth of what is claimed. */
static void note_most(const struct question *question, const struct audit_run *run)
{
    if (run->most < 0.98 * question->claim)
        (void)printf(
            "At its size, keys that collide blur the answers: one run shows at most %.2f. More bits show more.\n",
            run->most);
}

static int report_run(const struct args *args, const struct question *question, const struct audit_run *run)
{
    double share = (double)run->right / (double)run->canaries;
    if (args_has(args, &option_json))
        return print_object(
            question, "one run", run->epsilon,
            json_pack("[o, o, o]", bound(question, "epsilon", run->epsilon, run->canaries),
                      result(question, "right_guesses", share, run->rate.low, run->rate.high, NAN, run->canaries),
                      result(question, "epsilon_most", run->most, NAN, NAN, NAN, run->canaries)));
    print_heading(question);
    print_rate("canaries guessed right", run->right, run->canaries, run->rate);
    (void)printf("epsilon is at least %.4f, with 95 %% confidence\n", run->epsilon);
    note_most(question, run);
    print_verdict(question, run->epsilon, audit_guesses(run->canaries, run->canaries, confidence));
    return EXIT_FINE;
}

/* ---- running ---- */

static int examine(const struct args *args, struct question *question)
{
    struct audit_worlds worlds = {0};
    struct audit_run run = {0};
    uf_error why;
    const bool once = question->audit.canaries > 0;
    progress_library_phase("auditing");
    int status = once ? audit_one_run(&question->audit, &run, &why) : audit_two_worlds(&question->audit, &worlds, &why);
    progress_hide();
    if (status != UF_OK)
        return print_error("%s: %s", question->name, why.text);
    double epsilon = once ? run.epsilon : worlds.epsilon;
    if (once ? report_run(args, question, &run) : report_worlds(args, question, &worlds))
        return EXIT_ERROR;
    return epsilon > question->claim ? EXIT_NONE : EXIT_FINE;
}

static int run(const struct args *args)
{
    struct question question = {0};
    unsigned threads = args_threads(args);
    if (!threads || check_options(args) || read_audit(args, threads, &question.audit))
        return EXIT_ERROR;
    question.audit.subject = &question.subject;
    int status = args_has(args, &option_spec) ? take_spec(args, &question) : take_release(args, &question);
    if (!status)
        status = take_claim(args, &question);
    if (!status)
        status = examine(args, &question);
    uf_universe_free(question.universe);
    return status;
}

static const struct option *const options[] = {
    &option_spec, &option_release, &option_epsilon, &option_universe_size, &option_trials, &option_canaries,
    &option_base, &option_claim,   &option_seed,    &option_threads,       &option_json,   &option_progress,
    NULL};

static const struct example examples[] = {
    {"ultrafilter-lab audit --spec dpset:n=1000,epsilon=1",
     "Two worlds, 20,000 filters each: about 0.97 of the 1 is seen."},
    {"ultrafilter-lab audit --spec dpset:n=20000,epsilon=1 --canaries 20000", "The same from one filter."},
    {"ultrafilter-lab audit --spec ultra:n=1000,epsilon=1,mechanism=published --claim 3",
     "The UltraFilter paper's own code, against an epsilon of 3: broken."},
    {"ultrafilter-lab audit --mechanism dime --universe-size 100 --epsilon 2", "A set release."},
    {NULL, NULL},
};

const struct command command_audit = {
    .name = "audit",
    .synopsis = "{--spec SPEC | --mechanism M --epsilon E} [--claim E] [options]",
    .summary = "look for a broken privacy promise",
    .description =
        "Runs a mechanism many times and computes from what it did a lower bound on its epsilon, which holds with "
        "95 % confidence. A bound above what is claimed shows that the promise is broken; a bound below it is no "
        "proof that it holds.\n\n"
        "Two worlds: N filters of a set without a key x and N of the set with it; how often is x accepted? The "
        "bound is the larger one of two, from 'accepted' and from 'not accepted'. With k bits per key, t=k or t=1 "
        "in the spec shows the most, and needs more trials the larger k is.\n\n"
        "One run (--canaries): one filter; each of C keys is in its set by a fair coin, and the filter's answers "
        "are the guesses. The larger the filter, the less its collisions hide.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when what was seen is consistent with the claim, 1 when the claim is broken, 2 on an error.",
    .least = 0,
    .most = 0,
    .run = run,
};
