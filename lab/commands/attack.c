/* SPDX-License-Identifier: MIT */
/* attack: the lab's attacks (lab/attack.h), each against several targets, and one table of what it came to. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack_report.h"
#include "corpus_input.h"
#include "folder.h"
#include "lab_options.h"
#include "message.h"
#include "numbers.h"
#include "plot.h"
#include "progress.h"
#include "spelling.h"

static const struct option option_target = {0, "target", VALUE_CHOICE,
                                            "all|unkeyed|redis|keyed|learned|sandwich|partition|uptown|downtown|robust",
                                            "What to attack; the last six are for mutate and watch. Default: all."};
static const struct option option_items = {0, "trials", VALUE_NUMBER, "T",
                                           "How many items are shown to the filter, where that can be chosen."};
static const struct option option_plot = {0, "plot", VALUE_FILE, "DIR",
                                          "Draw what came out into DIR (pollution and mutate only; takes gnuplot)."};

enum { MOST_ITEMS = 10000000, MOST_TRIALS = 100000000 };

/* ---- what is requested ---- */

static const struct attack *find_attack(const char *name)
{
    const struct attack *attack = attack_find(name), *other;
    struct suggestion near = {name, NULL, 0};
    for (size_t i = 0; !attack && (other = attack_at(i)); i++)
        suggestion_consider(&near, other->name);
    if (!attack)
        (void)print_error("there is no attack %s%s%s%s; see 'ultrafilter-lab attack --help'", name,
                          near.best ? " (did you mean " : "", near.best ? near.best : "", near.best ? "?)" : "");
    return attack;
}

static int read_rate(const struct args *args, double *out)
{
    if (!args_has(args, &option_design_fpr))
        return EXIT_FINE;
    *out = strtod(args_value(args, &option_design_fpr), NULL);
    return *out >= 1e-9 && *out <= 0.5
               ? EXIT_FINE
               : print_error("%s %s: not a rate from 1e-9 to 0.5", args_label(args, &option_design_fpr).text,
                             args_value(args, &option_design_fpr));
}

/* A name may mean a target of either sort, as keyed does. */
static void read_targets(const struct args *args, struct attack_request *out)
{
    const char *text = args_value(args, &option_target);
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
    static const struct option *const only[] = {&option_positives, &option_negatives, &option_valid,
                                                &option_adversarial_share};
    for (size_t i = 0; i < sizeof only / sizeof only[0]; i++)
        if (args_has(args, only[i]) && !(attack->takes & ATTACK_CORPUS))
            return print_error("%s: %s does not take it; mutate does", args_label(args, only[i]).text, attack->name);
    return corpus_input_wanted(args) ? args_exclusive(args, &option_capacity, &option_positives) : EXIT_FINE;
}

static int read_share(const struct args *args, double *out)
{
    if (args_has(args, &option_adversarial_share))
        *out = strtod(args_value(args, &option_adversarial_share), NULL);
    return *out <= 1 ? EXIT_FINE
                     : print_error("--adversarial-share %s: not a share from 0 to 1",
                                   args_value(args, &option_adversarial_share));
}

static int read_plot(const struct args *args, const struct attack *attack)
{
    if (!args_has(args, &option_plot))
        return EXIT_FINE;
    if (!attack->has_plot)
        return print_error("--plot: %s has nothing to draw; pollution and mutate have", attack->name);
    if (plot_missing())
        return print_error("--plot needs gnuplot, which is not here: install it, or leave --plot out");
    return folder_prepare(args_value(args, &option_plot));
}

static int read_request(const struct args *args, const struct attack *attack, struct attack_request *out)
{
    *out = (struct attack_request){.plan = {.n = attack->usual.n, .fpr = 0.01},
                                   .epsilon = 1,
                                   .share = 0.05,
                                   .trials = attack->usual.trials,
                                   .progress = progress_from_library};
    read_targets(args, out);
    out->seed.given = args_has(args, &option_seed);
    out->plan.kind = args_has(args, &option_plain_kind) ? args_value(args, &option_plain_kind)
                     : attack->usual.kind               ? attack->usual.kind
                                                        : "blocked";
    if (args_whole(args, &option_capacity, 1, MOST_ITEMS, &out->plan.n) || read_rate(args, &out->plan.fpr) ||
        args_epsilon(args, &option_epsilon, &out->epsilon) ||
        args_whole(args, &option_items, 1, MOST_TRIALS, &out->trials) ||
        args_seed(args, &option_seed, &out->seed.value) || check_corpus(args, attack) || read_share(args, &out->share))
        return EXIT_ERROR;
    return read_plot(args, attack);
}

static int run_request(const struct args *args, const struct attack *attack, const struct attack_request *request)
{
    struct attack_result result = {.rows = 0};
    uf_error why = {UF_OK, 0, ""};
    progress_library_phase("attacking");
    int status = attack->run(request, &result, &why);
    progress_hide();
    if (status != UF_OK)
        return print_error("%s", why.text);
    if (!result.rows)
        return print_error("--target %s: %s is no attack on that", args_value(args, &option_target), attack->name);
    if (args_has(args, &option_plot) && attack_draw(args_value(args, &option_plot), attack, &result))
        return EXIT_ERROR;
    if (args_has(args, &option_json))
        return attack_print_json(attack, request, &result);
    attack_print_table(attack, request, &result);
    return EXIT_FINE;
}

static int run(const struct args *args)
{
    struct attack_request request;
    struct corpus_input input;
    const struct attack *attack = find_attack(args->operand[0]);
    if (!attack || read_request(args, attack, &request))
        return EXIT_ERROR;
    if (!corpus_input_wanted(args))
        return run_request(args, attack, &request);
    if (corpus_input_read(args, CORPUS_NEEDS_VALID, &input))
        return EXIT_ERROR;
    request.corpus = &input.corpus;
    request.plan.n = input.lists.positives.count;
    int status = run_request(args, attack, &request);
    corpus_input_free(&input);
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

static const struct option *const options[] = {&option_target,
                                               &option_plain_kind,
                                               &option_capacity,
                                               &option_design_fpr,
                                               &option_epsilon,
                                               &option_items,
                                               &option_adversarial_share,
                                               &option_positives,
                                               &option_negatives,
                                               &option_valid,
                                               &option_seed,
                                               &option_plot,
                                               &option_json,
                                               &option_progress,
                                               NULL};

static const struct example examples[] = {
    {"ultrafilter-lab attack blind", "Forged blind: about 50 % against a public hash, 1 % against ours."},
    {"ultrafilter-lab attack pollution -n 1e5 --plot figures",
     "What chosen inserts do to the rate, and a picture of it."},
    {"ultrafilter-lab attack mutate --positives bad.txt --negatives others.txt --valid more-others.txt",
     "What changing a few characters does to learned filters of one's own keys."},
    {"ultrafilter-lab attack forge --target keyed -p 0.001 --json", "One target, another design rate, for a script."},
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
