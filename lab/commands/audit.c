/* SPDX-License-Identifier: MIT */
/*
 * audit: what a mechanism was seen to do, against the epsilon it claims. The experiments are those of lab/audit.h; here
 * is what to audit, and on which sets. How the result is said is in audit_report.c.
 */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit_report.h"
#include "human.h"
#include "key_list.h"
#include "lab_options.h"
#include "message.h"
#include "numbers.h"
#include "progress.h"

static const struct option option_command = {
    0, "command", VALUE_TEXT, "CMD",
    "A shell command that makes the file {out} from the list {keys}; or from standard input, or to standard output. "
    "{run} is another number in each run."};
static const struct option option_exact = {
    0, "exact", VALUE_TEXT, "SPEC",
    "An exact filter that is built first; what is audited is a copy of it, as --spec says."};
static const struct option option_release = {
    0, "mechanism", VALUE_CHOICE, "dime|nickel",
    "A release of the set itself, with --epsilon; with --spec, a filter of the released set."};
static const struct option option_canaries = {0, "canaries", VALUE_NUMBER, "C",
                                              "One run with C canaries instead of two worlds."};
static const struct option option_base = {
    'n', "base", VALUE_NUMBER, "N",
    "Other keys that are in the set in any case: the numbers 1 to N. Default: none; 10 with --command."};
static const struct option option_keys = {0, "keys", VALUE_FILE, "FILE", "The same from a list, one key a line."};
static const struct option option_extra = {0, "extra", VALUE_TEXT, "KEY",
                                           "The key x that one of the sets has and the other has not. Default: N + 1."};
static const struct option option_claim = {
    0, "claim", VALUE_NUMBER, "E",
    "The epsilon to hold it against. Default: what it claims itself. With --command, --epsilon is the same."};
static const struct option option_delta = {0, "delta", VALUE_NUMBER, "D",
                                           "The delta to hold it against, with --claim. Default: 0."};
static const struct option option_confidence = {
    0, "confidence", VALUE_NUMBER, "C", "The share of audits in which the bound may be believed. Default: 0.95."};

enum {
    DEFAULT_TRIALS = 20000,
    COMMAND_TRIALS = 500,
    MOST_TRIALS = 1000000000,
    MOST_KEYS = 10000000,
    COMMAND_BASE = 10
};

/* What one of the sets has in addition to a list of the user's. */
static const char default_extra[] = "ultrafilter-audit-x";

struct asked {
    struct question question;
    struct subject subject;
    uf_universe *universe; /* owned, as the keys are */
    struct numbered numbered;
    struct key_list list;
    uf_key *keys;
    char release[64];
};

/* ---- what to audit ---- */

static int check_pairs(const struct args *args)
{
    static const struct option *const pairs[][2] = {
        {&option_command, &option_spec},         {&option_command, &option_exact},  {&option_command, &option_release},
        {&option_command, &option_canaries},     {&option_command, &option_claim},  {&option_exact, &option_release},
        {&option_trials, &option_canaries},      {&option_keys, &option_base},      {&option_keys, &option_release},
        {&option_keys, &option_canaries},        {&option_extra, &option_canaries}, {&option_extra, &option_release},
        {&option_command, &option_universe_size}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (args_exclusive(args, pairs[i][0], pairs[i][1]))
            return EXIT_ERROR;
    return EXIT_FINE;
}

static int check_options(const struct args *args)
{
    const int command = args_has(args, &option_command), release = args_has(args, &option_release);
    if (!command && !release && !args_has(args, &option_spec))
        return print_error("say what to audit: --spec, --command, or --mechanism and --epsilon; see 'ultrafilter-lab "
                           "audit --help'");
    if (check_pairs(args) || (!release && (args_exclusive(args, &option_spec, &option_epsilon) ||
                                           args_exclusive(args, &option_spec, &option_universe_size))))
        return EXIT_ERROR;
    if (args_has(args, &option_delta) && !args_has(args, &option_claim) &&
        !(command && args_has(args, &option_epsilon)))
        return print_error("--delta needs --claim, the epsilon that it goes with");
    return release ? args_require(args, &option_epsilon) : EXIT_FINE;
}

static int share(const struct args *args, const struct option *option, double *out)
{
    if (!args_has(args, option))
        return EXIT_FINE;
    *out = strtod(args_value(args, option), NULL);
    return *out < 1 ? EXIT_FINE
                    : print_error("%s %s: it is a probability, below 1", args_label(args, option).text,
                                  args_value(args, option));
}

static int read_audit(const struct args *args, unsigned threads, struct audit *out)
{
    const int command = args_has(args, &option_command);
    uint64_t base = command ? COMMAND_BASE : 0, canaries = 0;
    *out = (struct audit){.confidence = 0.95,
                          .claim = {NAN, 0},
                          .trials = {.count = command ? COMMAND_TRIALS : DEFAULT_TRIALS,
                                     .threads = threads,
                                     .progress = progress_from_library}};
    if (args_whole(args, &option_trials, 2, MOST_TRIALS, &out->trials.count) ||
        args_whole(args, &option_canaries, 1, MOST_KEYS, &canaries) ||
        args_whole(args, &option_base, 0, MOST_KEYS, &base) || args_seed(args, &option_seed, &out->trials.seed.value) ||
        share(args, &option_confidence, &out->confidence))
        return EXIT_ERROR;
    out->trials.seed.given = args_has(args, &option_seed);
    out->base = (size_t)base;
    out->canaries = (size_t)canaries;
    return EXIT_FINE;
}

/* ---- the sets ---- */

static int is_in(const uf_key *keys, size_t count, uf_key key)
{
    for (size_t i = 0; i < count; i++)
        if (keys[i].size == key.size && !memcmp(keys[i].data, key.data, key.size))
            return 1;
    return 0;
}

/* The keys of both sets, then x; or the canaries. */
static int take_keys(const struct args *args, struct asked *out)
{
    struct audit *audit = &out->question.audit;
    const char *path = args_value(args, &option_keys), *extra = args_value(args, &option_extra);
    const struct keys_format lines = {.separator = '\n'};
    size_t more = audit->canaries ? audit->canaries : 1;
    if (path && key_list_read(path, &lines, "reading", &out->list))
        return EXIT_ERROR;
    if (path)
        audit->base = out->list.count;
    out->keys = calloc(audit->base + more, sizeof *out->keys);
    if (!out->keys || (!path && numbered_make(audit->base + more, &out->numbered) != UF_OK))
        return print_error("no memory for so many keys");
    memcpy(out->keys, path ? out->list.keys : out->numbered.keys,
           (audit->base + (path ? 0 : more)) * sizeof *out->keys);
    if (path && !extra)
        extra = default_extra;
    if (extra)
        out->keys[audit->base] = (uf_key){extra, strlen(extra)};
    audit->keys = out->keys;
    if (!audit->canaries && is_in(out->keys, audit->base, out->keys[audit->base]))
        return print_error("the key %s is in both sets: --extra takes one that is not among the others",
                           extra ? extra : "x");
    return EXIT_FINE;
}

/* A private kind promises nothing for sets that are larger than it was planned for, and refuses them; how many canaries
 * there are is up to coins. */
static int check_capacity(const struct question *question, const uf_spec *spec)
{
    const struct audit *audit = &question->audit;
    double n, epsilon, need = (double)(audit->base + (audit->canaries ? audit->canaries : 1));
    if (uf_spec_get(spec, "epsilon", &epsilon) != UF_OK || uf_spec_get(spec, "n", &n) != UF_OK || n >= need)
        return EXIT_FINE;
    return print_error("%s cannot hold %s keys: raise n to that number", question->name, human_count(need).text);
}

/* ---- subjects ---- */

static int take_spec(const struct args *args, struct asked *out)
{
    const char *exact = args_value(args, &option_exact);
    struct subject first;
    uf_error why;
    if (subject_parse(args_value(args, &option_spec), &out->subject, &why) != UF_OK)
        return print_error("%s: %s", args_value(args, &option_spec), why.text);
    if (exact && subject_parse(exact, &first, &why) != UF_OK)
        return print_error("%s: %s", exact, why.text);
    if (exact)
        out->subject.exact = first.spec;
    if (audit_claim_of(&out->subject, &out->question.audit.claim, &why) != UF_OK)
        return print_error("%s: %s", args_value(args, &option_spec), why.text);
    (void)snprintf(out->question.name, sizeof out->question.name, "%s%s%s", out->subject.spec.text,
                   exact ? ", a copy of " : "", exact ? out->subject.exact.text : "");
    return check_capacity(&out->question, &out->subject.spec);
}

/* Dime's epsilon is what it claims; Nickel protects presence only. */
static int take_release(const struct args *args, struct asked *out)
{
    const char *mechanism = args_value(args, &option_release), *text_epsilon = args_value(args, &option_epsilon);
    struct question *question = &out->question;
    double epsilon = NAN;
    const size_t canaries = question->audit.canaries, most = question->audit.base + (canaries ? canaries : 1);
    uint64_t size = most;
    char text[64];
    uf_error why;
    if (args_epsilon(args, &option_epsilon, &epsilon) ||
        args_whole(args, &option_universe_size, most, MOST_KEYS, &size))
        return EXIT_ERROR;
    if (args_has(args, &option_spec) && subject_parse(args_value(args, &option_spec), &out->subject, &why) != UF_OK)
        return print_error("%s: %s", args_value(args, &option_spec), why.text);
    (void)snprintf(out->release, sizeof out->release, "%s:epsilon=%.40s", mechanism, text_epsilon);
    (void)snprintf(question->name, sizeof question->name, "%s%s%s,universe=%llu", out->subject.spec.text,
                   out->subject.spec.text[0] ? " of " : "", out->release, (unsigned long long)size);
    (void)snprintf(text, sizeof text, "range:1-%llu", (unsigned long long)size);
    if (uf_universe_parse(text, NULL, &out->universe, &why) != UF_OK)
        return print_error("%s", why.text);
    out->subject.release = out->release;
    out->subject.universe = out->universe;
    question->presence_only = !strcmp(mechanism, "nickel");
    question->audit.claim = (struct audit_claim){question->presence_only ? NAN : epsilon, 0};
    return EXIT_FINE;
}

static int take_command(const struct args *args, struct asked *out)
{
    out->subject.command = args_value(args, &option_command);
    (void)snprintf(out->question.name, sizeof out->question.name, "%s", out->subject.command);
    return args_has(args, &option_epsilon) ? args_epsilon(args, &option_epsilon, &out->question.audit.claim.epsilon)
                                           : EXIT_FINE;
}

/* What it is held against. Files of a command say themselves what they claim, when nobody else does. */
static int take_claim(const struct args *args, struct asked *out)
{
    struct question *question = &out->question;
    struct audit_claim *claim = &question->audit.claim;
    const int command = args_has(args, &option_command);
    question->own_claim = !args_has(args, command ? &option_epsilon : &option_claim);
    if (args_has(args, &option_claim))
        *claim = (struct audit_claim){strtod(args_value(args, &option_claim), NULL), 0};
    if (share(args, &option_delta, &claim->delta))
        return EXIT_ERROR;
    if (isnan(claim->epsilon) && !command)
        return print_error(
            "%s: it claims no epsilon that could be checked; say which one to hold it against: --claim 1",
            question->name);
    return EXIT_FINE;
}

/* ---- running ---- */

static int examine(const struct args *args, const struct question *question)
{
    struct audit_worlds worlds = {0};
    struct audit_run run = {0};
    uf_error why;
    const int json = args_has(args, &option_json), once = question->audit.canaries > 0;
    progress_library_phase("auditing");
    int status = once ? audit_one_run(&question->audit, &run, &why) : audit_two_worlds(&question->audit, &worlds, &why);
    progress_hide();
    if (status != UF_OK)
        return print_error("%s: %s", question->name, why.text);
    return once ? audit_report_run(question, &run, json) : audit_report_worlds(question, &worlds, json);
}

static void asked_free(struct asked *asked)
{
    uf_universe_free(asked->universe);
    numbered_free(&asked->numbered);
    key_list_free(&asked->list);
    free(asked->keys);
}

static int take_subject(const struct args *args, struct asked *out)
{
    if (args_has(args, &option_command))
        return take_command(args, out);
    return args_has(args, &option_release) ? take_release(args, out) : take_spec(args, out);
}

static int run(const struct args *args)
{
    struct asked asked = {0};
    unsigned threads = args_threads(args);
    if (!threads || check_options(args) || read_audit(args, threads, &asked.question.audit))
        return EXIT_ERROR;
    asked.question.audit.subject = &asked.subject;
    int status = take_keys(args, &asked);
    if (!status)
        status = take_subject(args, &asked);
    if (!status)
        status = take_claim(args, &asked);
    if (!status)
        status = examine(args, &asked.question);
    asked_free(&asked);
    return status;
}

static const struct option *const options[] = {
    &option_spec,  &option_exact,      &option_release, &option_epsilon,  &option_universe_size, &option_command,
    &option_claim, &option_delta,      &option_trials,  &option_canaries, &option_base,          &option_keys,
    &option_extra, &option_confidence, &option_seed,    &option_threads,  &option_json,          &option_progress,
    NULL};

static const struct example examples[] = {
    {"ultrafilter-lab audit --spec dpset:n=1000,epsilon=1",
     "Two worlds, 20,000 filters each: about 0.95 of the 1 is seen."},
    {"ultrafilter-lab audit --spec dpset:n=20000,epsilon=1 --canaries 20000", "The same from one filter."},
    {"ultrafilter-lab audit --spec ultra:n=1000,epsilon=1,mechanism=published --claim 3",
     "The UltraFilter paper's own code, against an epsilon of 3: violated."},
    {"ultrafilter-lab audit --mechanism dime --universe-size 100 --epsilon 2", "A set release."},
    {"ultrafilter-lab audit --spec ultra:epsilon=1 --exact bloom:n=1000,k=1", "Noisy copies of an exact filter."},
    {"ultrafilter-lab audit --command 'ultrafilter publish -o {out} --epsilon 1 --capacity 100 {keys}'",
     "A whole program, its file and all that it prints, against what the file claims."},
    {"ultrafilter-lab audit --command 'sort -R {keys} | head -n 5' --epsilon 2 --delta 1e-6",
     "Any other tool: here, five keys of ten in the clear."},
    {NULL, NULL},
};

const struct command command_audit = {
    .name = "audit",
    .synopsis = "{--spec SPEC | --mechanism M --epsilon E | --command CMD} [--claim E] [options]",
    .summary = "look for a broken privacy promise",
    .description =
        "Runs a mechanism many times and computes from what it did a lower bound on its epsilon, which holds with "
        "95 % confidence. A bound above what is claimed shows that the promise is broken; a bound below it is no "
        "proof that it holds. It also says which epsilon it would have noticed, and when that is more than twice what "
        "is claimed, that it had no power.\n\n"
        "Two worlds: N runs on a set without a key x and N on the set with it. Everything is looked at that someone "
        "else can see: whether there is a file, its size, its header, its bits, zero bytes and words, what was "
        "printed, "
        "the exit status, the answer to x and the bits of x. What tells the worlds apart best, and conjunctions of "
        "that, is chosen on up to half of the runs, and counted on the others; the bound is that of the best, and "
        "corrected for how many were counted. Time is not looked at.\n\n"
        "One run (--canaries): one filter; each of C keys is in its set by a fair coin, and the filter's answers "
        "are the guesses. The larger the filter, the less its collisions hide.\n\n"
        "A command is run by /bin/sh, twice 500 times when --trials does not say otherwise. Its files and their "
        "folder are removed.",
    .options = options,
    .examples = examples,
    .exit_status =
        "0 when what was seen is consistent with the claim, 1 when the claim is violated, 2 on an error, 3 when "
        "it could not have noticed.",
    .least = 0,
    .most = 0,
    .run = run,
};
