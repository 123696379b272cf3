/* SPDX-License-Identifier: MIT */
#include "game_report.h"

#include <math.h>
#include <stdio.h>

#include "human.h"
#include "interval.h"
#include "message.h"
#include "report.h"

static const double confidence = 0.999;

static double rate(const struct game_figure *figure)
{
    return figure->trials ? (double)figure->wins / (double)figure->trials : NAN;
}

/* A control must be won: without noise always, with the key as good as always. */
static int is_control(const struct game_request *request)
{
    return request->noise == GAME_NO_NOISE || request->key == GAME_LEAKED_KEY;
}

/* Otherwise the adversary must not be above the figure beyond chance. */
static int is_fine(const struct game_request *request, const struct game_figure *figure)
{
    if (is_control(request))
        return rate(figure) >= (request->noise == GAME_NO_NOISE && !request->through ? 1 : 0.99);
    return interval_exact(figure->wins, figure->trials, confidence).low <= figure->design;
}

int game_within_bounds(const struct game_request *request, const struct game_result *result)
{
    int fine = 1;
    for (size_t i = 0; i < result->figures; i++)
        fine &= is_fine(request, &result->figure[i]);
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

static json_t *figure_array(const struct game_result *result, enum game_extent extent)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->figures; i++)
        if (result->figure[i].extent == extent)
            (void)json_array_append_new(array, figure_object(result, &result->figure[i]));
    return array;
}

static json_t *head_object(const struct game *game, const struct game_request *request)
{
    if (game->family == GAME_RELEASE)
        return json_pack("{s:s, s:I, s:I}", "game", game->name, "universe", (json_int_t)request->universe, "members",
                         (json_int_t)request->members);
    return json_pack("{s:s, s:I, s:I, s:b}", "game", game->name, "members", (json_int_t)request->members, "queries",
                     (json_int_t)request->queries, "leaked_key", request->key == GAME_LEAKED_KEY);
}

/* Parts stand apart: the whole is what is held against the design. */
int game_print_json(const struct game *game, const struct game_request *request, const struct game_result *result)
{
    json_t *head = head_object(game, request), *parts = figure_array(result, GAME_PART);
    json_t *rest = json_pack("{s:o, s:b, s:o}", "confidence", report_number(confidence), "within_bound",
                             game_within_bounds(request, result), "results", figure_array(result, GAME_WHOLE));
    int failed = !head || !rest || json_object_update(head, rest) ||
                 (json_array_size(parts) && json_object_set(head, "adversaries", parts));
    json_decref(rest);
    json_decref(parts);
    if (!failed)
        return report_json(head);
    json_decref(head);
    return report_json(NULL);
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

static const char *verdict(const struct game *game, const struct game_request *request, int fine)
{
    if (request->noise == GAME_NO_NOISE)
        return fine ? "Without noise the adversary wins every game, as it must."
                    : "THE CONTROL FAILED: without noise the adversary must win every game.";
    if (request->key == GAME_LEAKED_KEY)
        return fine ? "With the key the adversaries win, as they must."
                    : "THE CONTROL FAILED: with the key the adversaries must win 99 % of the games.";
    if (!fine)
        return "BEYOND THE BOUND: the adversary wins more often than it may, and not by chance.";
    return game->family == GAME_RELEASE ? "The adversary wins no more often than it may."
                                        : "The adversaries win no more often than the filter errs by design.";
}

int game_print_table(const struct game *game, const struct game_request *request, const struct game_result *result)
{
    if (game->family == GAME_RELEASE)
        (void)printf("%s against %s, %s of %s keys in the set\n\n", game->name, result->target,
                     human_count((double)request->members).text, human_count((double)request->universe).text);
    else
        (void)printf("game %s against %s%s, up to %s questions\n\n", game->name, result->target,
                     request->key == GAME_LEAKED_KEY ? ", with the key" : "",
                     human_count((double)request->queries).text);
    print_row("", "games", "won", "99.9 % interval", "at most");
    for (size_t i = 0; i < result->figures; i++)
        print_figure(&result->figure[i]);
    (void)printf("\n%s\n", verdict(game, request, game_within_bounds(request, result)));
    return EXIT_FINE;
}
