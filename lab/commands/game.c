/* SPDX-License-Identifier: MIT */
/* game: adversaries play against a mechanism, and how often they win stands beside what they may win at most. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus_input.h"
#include "game_report.h"
#include "lab_options.h"
#include "message.h"
#include "numbers.h"
#include "progress.h"
#include "spelling.h"

static const struct option option_members = {
    'n', "members", VALUE_NUMBER, "N", "The number of keys in the set. Default: 1000, or 100 in games of release."};
static const struct option option_no_noise = {
    0, "no-noise", VALUE_NONE, NULL,
    "The control: the set is handed out as it is, and the adversary must win every game."};
static const struct option option_game_target = {
    0, "target", VALUE_CHOICE,
    "keyed|unkeyed|redis|robust|downtown|uptown|partition|sandwich|learned|"
    "all",
    "What is played against: games 1, 2 and unsteady keyed, unkeyed or redis, games "
    "3 and 4 any but the latter two, or all of those in turn. Default: "
    "keyed; robust."};
static const struct option option_choice = {
    0, "choice", VALUE_CHOICE, "all|honest|poisoned|lookalikes|mimics|starved|huge|tiny|equal|few",
    "How adversaries of games 3 and 4 choose the set and the data to learn from. Default: all, which take turns."};
static const struct option option_through = {
    0, "spec", VALUE_TEXT, "SPEC",
    "Games of release: the adversary sees a filter of the released set, of this spec, instead of the set. Of a learned "
    "kind it sees the model too, which is trained on the release."};
static const struct option option_queries = {0, "queries", VALUE_NUMBER, "Q",
                                             "Questions in a game, at most. Default: 1000; 300 in games 3 and 4."};
static const struct option option_leak_key = {
    0, "leak-key", VALUE_NONE, NULL, "The control: the adversary gets the key, and must win 99 % of the games."};

/* What games 3 and 4 alone take. */
#define LEARNED_ONLY &option_choice, &option_positives, &option_negatives, &option_valid

enum {
    MOST = 1000000000,   /* keys, members, games */
    MOST_KEYS = 10000000 /* in one game of membership */
};

/* ---- what is requested ---- */

static const struct game *find_game(const char *name)
{
    const struct game *game = game_find(name), *other;
    struct suggestion near = {name, NULL, 0};
    for (size_t i = 0; !game && (other = game_at(i)); i++)
        suggestion_consider(&near, other->name);
    if (!game)
        (void)print_error("there is no game %s%s%s%s; see 'ultrafilter-lab game --help'", name,
                          near.best ? " (did you mean " : "", near.best ? near.best : "", near.best ? "?)" : "");
    return game;
}

/* An error when an option was given that this game has no use for. */
static int refuse_options(const struct args *args, const struct option *const *others)
{
    for (; *others; others++)
        if (args_has(args, *others))
            return print_error("%s: game %s does not take it", args_label(args, *others).text, args->operand[0]);
    return EXIT_FINE;
}

static int read_release(const struct args *args, struct game_request *request)
{
    static const struct option *const others[] = {&option_game_target,       &option_plain_kind, &option_design_fpr,
                                                  &option_queries,           &option_leak_key,   &option_threads,
                                                  &option_adversarial_share, LEARNED_ONLY,       NULL};
    double epsilon;
    request->universe = 1000;
    request->members = 100;
    request->trials = 100000;
    request->epsilon = args_has(args, &option_epsilon) ? args_value(args, &option_epsilon) : "1";
    request->noise = args_has(args, &option_no_noise) ? GAME_NO_NOISE : GAME_NOISE;
    if (refuse_options(args, others) || args_exclusive(args, &option_epsilon, &option_no_noise) ||
        args_epsilon(args, &option_epsilon, &epsilon) ||
        args_whole(args, &option_universe_size, 1, MOST, &request->universe) ||
        args_whole(args, &option_members, 0, MOST, &request->members) ||
        args_whole(args, &option_trials, 1, MOST, &request->trials))
        return EXIT_ERROR;
    if (args_has(args, &option_through)) {
        uf_error why;
        if (uf_spec_parse(args_value(args, &option_through), &request->spec, &why) != UF_OK)
            return print_error("--spec %s: %s", args_value(args, &option_through), why.text);
        request->through = &request->spec;
    }
    if (request->members >= request->universe)
        return print_error("%llu members are not fewer than the %llu keys of the universe: the adversary needs a key "
                           "that is not in the set; give a smaller -n or a larger --universe-size",
                           (unsigned long long)request->members, (unsigned long long)request->universe);
    return EXIT_FINE;
}

/* The target's number among `count` names, or an error that says which game it is for. */
static int read_target(const struct args *args, const char *(*name)(unsigned id), unsigned count, unsigned *out)
{
    const char *text = args_value(args, &option_game_target);
    for (unsigned id = 0; text && id < count; id++)
        if (!strcmp(text, name(id))) {
            *out = id;
            return EXIT_FINE;
        }
    return text ? print_error("--target %s: game %s is not played against that", text, args->operand[0]) : EXIT_FINE;
}

static const char *plain_name(unsigned id)
{
    return target_name(id);
}

static const char *model_name(unsigned id)
{
    return learned_name(id);
}

/* What games of both families take. */
static int read_filter(const struct args *args, struct game_request *request)
{
    static const struct option *const others[] = {&option_epsilon, &option_universe_size, &option_no_noise,
                                                  &option_through, NULL};
    request->fpr = args_has(args, &option_design_fpr) ? strtod(args_value(args, &option_design_fpr), NULL) : 0.01;
    request->key = args_has(args, &option_leak_key) ? GAME_LEAKED_KEY : GAME_SECRET_KEY;
    request->threads = args_threads(args);
    request->queries = request->queries ? request->queries : 1000;
    request->trials = 20000;
    if (args_has(args, &option_plain_kind))
        request->kind = args_value(args, &option_plain_kind);
    if (!request->threads || refuse_options(args, others) ||
        args_whole(args, &option_members, 1, MOST_KEYS, &request->members) ||
        args_whole(args, &option_queries, 0, MOST_KEYS, &request->queries) ||
        args_whole(args, &option_trials, 1, MOST, &request->trials))
        return EXIT_ERROR;
    return request->fpr >= 1e-9 && request->fpr <= 0.5
               ? EXIT_FINE
               : print_error("%s %s: not a rate from 1e-9 to 0.5", args_label(args, &option_design_fpr).text,
                             args_value(args, &option_design_fpr));
}

static int read_membership(const struct args *args, struct game_request *request)
{
    static const struct option *const others[] = {&option_adversarial_share, LEARNED_ONLY, NULL};
    unsigned target = TARGET_KEYED;
    request->kind = "blocked";
    request->members = 1000;
    if (refuse_options(args, others) || read_target(args, plain_name, TARGETS, &target))
        return EXIT_ERROR;
    request->target = target;
    return read_filter(args, request);
}

static int is_all(const struct args *args)
{
    const char *text = args_value(args, &option_game_target);
    return text && !strcmp(text, "all");
}

static int read_learned(const struct args *args, struct game_request *request)
{
    unsigned target = LEARNED_ROBUST;
    request->kind = "bloom";
    request->members = 1000;
    request->queries = 300;
    if (args_has(args, &option_choice))
        request->choice = choice_find(args_value(args, &option_choice));
    request->share =
        args_has(args, &option_adversarial_share) ? strtod(args_value(args, &option_adversarial_share), NULL) : 0.05;
    if (!is_all(args) && read_target(args, model_name, LEARNED_TARGETS, &target))
        return EXIT_ERROR;
    request->learned = target;
    return request->share <= 1 ? read_filter(args, request)
                               : print_error("--adversarial-share %s: not a share from 0 to 1",
                                             args_value(args, &option_adversarial_share));
}

static int read_request(const struct args *args, const struct game *game, struct game_request *request)
{
    request->progress = progress_from_library;
    request->seed.given = args_has(args, &option_seed);
    if (args_seed(args, &option_seed, &request->seed.value))
        return EXIT_ERROR;
    switch (game->family) {
    case GAME_RELEASE:
        return read_release(args, request);
    case GAME_MEMBERSHIP:
        return read_membership(args, request);
    default:
        return read_learned(args, request);
    }
}

/* ---- playing ---- */

struct played {
    struct game_result result[LEARNED_TARGETS];
    size_t count;
};

static int play(const struct game *game, const struct game_request *request, struct played *played)
{
    uf_error why;
    progress_library_phase("playing");
    int status = game->play(request, &played->result[played->count], &why);
    progress_hide();
    if (status != UF_OK)
        return print_error("%s", why.text);
    played->count++;
    return EXIT_FINE;
}

static int play_all(const struct args *args, const struct game *game, struct game_request *request,
                    struct played *played)
{
    if (!is_all(args))
        return play(game, request, played);
    int status = EXIT_FINE;
    for (unsigned id = 0; !status && id < LEARNED_TARGETS; id++) {
        request->learned = id;
        status = play(game, request, played);
    }
    return status;
}

static int play_request(const struct args *args, const struct game *game, struct game_request *request)
{
    struct played played = {.count = 0};
    if (play_all(args, game, request, &played))
        return EXIT_ERROR;
    const struct game_results results = {played.result, played.count};
    if (args_has(args, &option_json) ? game_print_json(game, request, results)
                                     : game_print_table(game, request, results))
        return EXIT_ERROR;
    return game_within_bounds(request, results) ? EXIT_FINE : EXIT_NONE;
}

static int run(const struct args *args)
{
    struct game_request request = {.members = 0};
    struct corpus_input input;
    const struct game *game = find_game(args->operand[0]);
    if (!game || read_request(args, game, &request))
        return EXIT_ERROR;
    if (!corpus_input_wanted(args))
        return play_request(args, game, &request);
    if (corpus_input_read(args, CORPUS_MAY_SPLIT, &input))
        return EXIT_ERROR;
    request.corpus = &input.corpus;
    int status = play_request(args, game, &request);
    corpus_input_free(&input);
    return status;
}

static const char *word(size_t index, const char **about)
{
    const struct game *game = game_at(index);
    if (!game)
        return NULL;
    *about = game->about;
    return game->name;
}

static const struct option *const options[] = {
    &option_members,
    &option_trials,
    &option_design_fpr,
    &option_plain_kind,
    &option_game_target,
    &option_queries,
    &option_adversarial_share,
    &option_leak_key,
    LEARNED_ONLY,
    &option_threads,
    &option_epsilon,
    &option_universe_size,
    &option_no_noise,
    &option_through,
    &option_seed,
    &option_json,
    &option_progress,
    NULL,
};

static const struct example examples[] = {
    {"ultrafilter-lab game 2 -p 0.01", "How often a keyed filter is beaten by those who have its file."},
    {"ultrafilter-lab game 2 -p 0.01 --leak-key", "The control: whoever has the key must win."},
    {"ultrafilter-lab game 4 --target downtown", "A learned filter whose model and file the adversaries have."},
    {"ultrafilter-lab game 3 --target learned", "One that believes its model loses: exit status 1."},
    {"ultrafilter-lab game 4 --target all", "Every learned kind, whoever chose the set and the data."},
    {"ultrafilter-lab game 4 --positives bad.txt --negatives others.txt", "Sets and data chosen from one's own lists."},
    {"ultrafilter-lab game set-release --epsilon 3", "How often the best adversary sees through dime."},
    {"ultrafilter-lab game strict-set-release --epsilon 3", "Nickel hides who is listed, not who is missing."},
    {"ultrafilter-lab game set-release --spec partition:fpr=0.01 --trials 2000",
     "The same through a learned filter of the release."},
    {"ultrafilter-lab game set-release --no-noise", "The control: without noise the adversary must win."},
    {NULL, NULL},
};

const struct command command_game = {
    .name = "game",
    .synopsis = "GAME [-n N] [-p P] [--epsilon E] [--trials T] [options]",
    .summary = "let an adversary play against a filter or a mechanism",
    .description =
        "Printed is how often the adversary wins, with the interval that holds the true rate with 99.9 % confidence, "
        "beside the most that it may win.\n\n"
        "In games 1 and 2 the adversary chooses a set, a filter of it is made with a fresh key, the adversary asks it "
        "about items of its choice, and then names one that is neither in the set nor was asked for. It wins when the "
        "filter accepts that one, and may do so at the filter's false-positive rate. In game 2 it has the filter's "
        "file as "
        "well, without the key. Three adversaries play T games each. Unless options say otherwise, the filter is "
        "keyed(blocked) at 1 % with 1000 keys, there are 1000 questions, and T is 20000.\n\n"
        "The game unsteady is game 1 with a filter that changes meanwhile: half of the set is inserted by the "
        "adversary, "
        "item by item, as it sees the answers.\n\n"
        "Games 3 and 4 are the same with learned filters. Adversaries choose the set and the data to learn from, out "
        "of "
        "made-up host names or of the lists --positives and --negatives: negatives that look least or most like "
        "members, members that look like negatives, sets that leave a range of scores nearly empty or nearly all, 24 "
        "members, members as negatives, three negatives. Choices take turns, and every game has a fresh key. "
        "Adversaries ask for mutants of what is accepted; in game 4 they have the model and the file, and one of them "
        "edits keys until they come to the weakest part of the filter. They may win at the rate that the filter claims "
        "against such people, or for keys that nobody chose where it claims nothing more; one that names keys like the "
        "negatives, at the rate for those. With --target all, the kinds that claim nothing must lose: they show that "
        "the adversaries are good enough. Unless options say otherwise, the filter is robust, planned for an "
        "adversarial share of 5 %, with 1000 keys and up to 300 questions.\n\n"
        "In the games of release the adversary names two sets that differ in one key. A fair coin decides which of "
        "them is "
        "released; the adversary sees the release and guesses. It knows everything but the coin and guesses as well as "
        "anyone can. Unless options say otherwise, epsilon is 1, 100 of 1000 keys are in the set, and T is 100000.",
    .options = options,
    .examples = examples,
    .exit_status =
        "0 when the adversary won no more than it may, 1 when it won more or lost the control, 2 on an error.",
    .least = 1,
    .most = 1,
    .operand = "game",
    .word = word,
    .run = run,
};
