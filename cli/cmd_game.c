/* SPDX-License-Identifier: MIT */
/* game: adversaries play against a mechanism, and how often they win stands beside what they may win at most. */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "games.h"
#include "guess.h"
#include "human.h"
#include "interval.h"
#include "layout.h"
#include "progress.h"
#include "report.h"
#include "say.h"

static const double confidence = 0.999;

#define MOST 1e9 /* keys, members, games */

/* ---- what is wished ---- */

static const struct game *find_game(const char *name)
{
    const struct game *game = game_find(name), *other;
    struct guess guess = {name, NULL, 0};
    for (size_t i = 0; !game && (other = game_at(i)); i++)
        guess_consider(&guess, other->name);
    if (!game)
        (void)say_error("there is no game %s%s%s%s; see 'ultrafilter game --help'", name,
                        guess.best ? " (did you mean " : "", guess.best ? guess.best : "", guess.best ? "?)" : "");
    return game;
}

/* A whole number from `least` to MOST, or `otherwise` when it is not given. */
static int read_count(const struct args *args, enum option_id id, double least, uint64_t otherwise, uint64_t *out)
{
    *out = otherwise;
    if (!args_has(args, id))
        return EXIT_FINE;
    double value = strtod(args->value[id], NULL);
    if (!(value >= least && value <= MOST && value == floor(value)))
        return say_error("%s %s: not a whole number from %.0f to 1e9", args_label(args, id).text, args->value[id],
                         least);
    *out = (uint64_t)value;
    return EXIT_FINE;
}

static int read_wish(const struct args *args, struct game_wish *wish)
{
    struct chance *chance = wish->chance;
    wish->epsilon = args_has(args, OPT_EPSILON) ? args->value[OPT_EPSILON] : "1";
    wish->noise = args_has(args, OPT_NO_NOISE) ? GAME_NO_NOISE : GAME_NOISE;
    wish->progress = progress_from_library;
    chance->seeded = args_has(args, OPT_SEED);
    if (args_exclusive(args, OPT_EPSILON, OPT_NO_NOISE) ||
        read_count(args, OPT_UNIVERSE_SIZE, 1, 1000, &wish->universe) ||
        read_count(args, OPT_MEMBERS, 0, 100, &wish->members) ||
        read_count(args, OPT_TRIALS, 1, 100000, &wish->trials) || args_seed(args, &chance->state))
        return EXIT_ERROR;
    if (wish->members >= wish->universe)
        return say_error("%llu members are not fewer than the %llu keys of the universe: the adversary needs a key "
                         "that is not in the set; give a smaller -n or a larger --universe-size",
                         (unsigned long long)wish->members, (unsigned long long)wish->universe);
    return EXIT_FINE;
}

/* ---- what came out ---- */

static double rate(const struct game_figure *figure)
{
    return figure->trials ? (double)figure->wins / (double)figure->trials : NAN;
}

/* Without noise the adversary must reach the figure; with it, it must not be above it beyond chance. */
static int is_fine(const struct game_wish *wish, const struct game_figure *figure)
{
    if (wish->noise == GAME_NO_NOISE)
        return figure->wins == figure->trials;
    return interval_exact(figure->wins, figure->trials, confidence).low <= figure->design;
}

static int all_fine(const struct game_wish *wish, const struct game_result *result)
{
    int fine = 1;
    for (size_t i = 0; i < result->figures; i++)
        fine &= is_fine(wish, &result->figure[i]);
    return fine;
}

static json_t *figure_object(const struct game_result *result, const struct game_figure *figure)
{
    struct interval interval = interval_exact(figure->wins, figure->trials, confidence);
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:I}", "target", report_text(result->target), "metric",
                     figure->metric, "value", report_number(rate(figure)), "low", report_number(interval.low), "high",
                     report_number(interval.high), "design", report_number(figure->design), "trials",
                     (json_int_t)figure->trials);
}

static int print_object(const struct game *game, const struct game_wish *wish, const struct game_result *result)
{
    json_t *results = json_array();
    for (size_t i = 0; i < result->figures; i++)
        (void)json_array_append_new(results, figure_object(result, &result->figure[i]));
    return report_json(json_pack("{s:s, s:I, s:I, s:o, s:b, s:o}", "game", game->name, "universe",
                                 (json_int_t)wish->universe, "members", (json_int_t)wish->members, "confidence",
                                 report_number(confidence), "within_bound", all_fine(wish, result), "results",
                                 results));
}

static void print_row(const char *about, const char *games, const char *won, const char *interval, const char *most)
{
    (void)printf("%-20s %12s  %9s  %21s  %9s\n", about, games, won, interval, most);
}

static void print_figure(const struct game_figure *figure)
{
    struct interval interval = interval_exact(figure->wins, figure->trials, confidence);
    char range[80];
    (void)snprintf(range, sizeof range, "%s to %s", human_percent(interval.low).text,
                   human_percent(interval.high).text);
    print_row(figure->about, human_count((double)figure->trials).text,
              figure->trials ? human_percent(rate(figure)).text : "-", range, human_percent(figure->design).text);
}

static int print_table(const struct game *game, const struct game_wish *wish, const struct game_result *result)
{
    static const char *const verdicts[2][2] = {
        {"BEYOND THE BOUND: the adversary wins more often than it may, and not by chance.",
         "The adversary wins no more often than it may."},
        {"THE CONTROL FAILED: without noise the adversary must win every game.",
         "Without noise the adversary wins every game, as it must."},
    };
    (void)printf("%s against %s, %s of %s keys in the set\n\n", game->name, result->target,
                 human_count((double)wish->members).text, human_count((double)wish->universe).text);
    print_row("", "games", "won", "99.9 % interval", "at most");
    for (size_t i = 0; i < result->figures; i++)
        print_figure(&result->figure[i]);
    (void)printf("\n%s\n", verdicts[wish->noise == GAME_NO_NOISE][all_fine(wish, result)]);
    return EXIT_FINE;
}

static int run(const struct args *args)
{
    struct chance chance = {0, 0};
    struct game_wish wish = {.chance = &chance};
    struct game_result result;
    uf_error why;
    const struct game *game = find_game(args->operand[0]);
    if (!game || read_wish(args, &wish))
        return EXIT_ERROR;
    progress_library_phase("playing");
    int status = game->play(&wish, &result, &why);
    progress_hide();
    if (status != UF_OK)
        return say_error("%s", why.text);
    if (args_has(args, OPT_JSON) ? print_object(game, &wish, &result) : print_table(game, &wish, &result))
        return EXIT_ERROR;
    return all_fine(&wish, &result) ? EXIT_FINE : EXIT_NONE;
}

static const char *word(size_t index, const char **about)
{
    const struct game *game = game_at(index);
    if (!game)
        return NULL;
    *about = game->about;
    return game->name;
}

static const enum option_id options[] = {OPT_EPSILON, OPT_UNIVERSE_SIZE, OPT_MEMBERS,  OPT_TRIALS, OPT_NO_NOISE,
                                         OPT_SEED,    OPT_JSON,          OPT_PROGRESS, OPT_END};

static const struct example examples[] = {
    {"ultrafilter game set-release --epsilon 3", "How often the best adversary sees through dime."},
    {"ultrafilter game strict-set-release --epsilon 3", "Nickel hides who is listed, not who is missing."},
    {"ultrafilter game set-release --no-noise", "The control: without noise the adversary must win."},
    {NULL, NULL},
};

const struct command command_game = {
    .name = "game",
    .synopsis = "GAME [--epsilon E] [--universe-size U] [-n N] [--trials T] [options]",
    .summary = "let an adversary play against a mechanism",
    .description =
        "The adversary names two sets that differ in one key. A fair coin decides which of them is released; the "
        "adversary sees the release and guesses. It knows everything but the coin and guesses as well as anyone can. "
        "Printed is how often it wins, with the interval that holds the true rate with 99.9 % confidence, beside the "
        "most that the proof allows.\n\n"
        "Unless options say otherwise, epsilon is 1 and 100 of 1000 keys are in the set.",
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
