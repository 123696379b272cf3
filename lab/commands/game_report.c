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
        return !figure->trials || rate(figure) >= (request->noise == GAME_NO_NOISE && !request->through ? 1 : 0.99);
    return interval_exact(figure->wins, figure->trials, confidence).low <= figure->design;
}

static int is_within(const struct game_request *request, const struct game_result *result)
{
    int fine = 1;
    for (size_t i = 0; i < result->figures; i++)
        fine &= is_fine(request, &result->figure[i]);
    return fine;
}

/* One that claims nothing beside others that do: it must lose, or the adversaries are too weak to tell anything. */
static int must_lose(const struct game_request *request, struct game_results results, size_t at)
{
    return results.count > 1 && results.result[at].unclaimed && !is_control(request);
}

/* What such a one must do: lose as a whole, and keep the promise that it does make. */
static int has_lost(const struct game_request *request, const struct game_result *result)
{
    int lost = 1;
    for (size_t i = 0; i < result->figures; i++) {
        const struct game_figure *figure = &result->figure[i];
        if (figure->alike || figure->extent == GAME_WHOLE)
            lost &= is_fine(request, figure) == figure->alike;
    }
    return lost;
}

static int is_right(const struct game_request *request, struct game_results results, size_t at)
{
    const struct game_result *result = &results.result[at];
    return must_lose(request, results, at) ? has_lost(request, result) : is_within(request, result);
}

int game_within_bounds(const struct game_request *request, struct game_results results)
{
    int fine = 1;
    for (size_t i = 0; i < results.count; i++)
        fine &= is_right(request, results, i);
    return fine;
}

static json_t *figure_object(const struct game_result *result, const struct game_figure *figure)
{
    struct interval interval = interval_exact(figure->wins, figure->trials, confidence);
    json_t *object = json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:I}", "target", report_text(result->target), "metric",
                               figure->metric, "value", report_number(rate(figure)), "low", report_number(interval.low),
                               "high", report_number(interval.high), "design", report_number(figure->design), "trials",
                               (json_int_t)figure->trials);
    if (result->refused && figure->extent == GAME_WHOLE)
        (void)json_object_set_new(object, "refused", json_integer((json_int_t)result->refused));
    return object;
}

static json_t *figure_array(struct game_results results, enum game_extent extent)
{
    json_t *array = json_array();
    for (size_t r = 0; r < results.count; r++)
        for (size_t i = 0; i < results.result[r].figures; i++)
            if (results.result[r].figure[i].extent == extent)
                (void)json_array_append_new(array, figure_object(&results.result[r], &results.result[r].figure[i]));
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
int game_print_json(const struct game *game, const struct game_request *request, struct game_results results)
{
    json_t *head = head_object(game, request), *parts = figure_array(results, GAME_PART);
    json_t *rest = json_pack("{s:o, s:b, s:o}", "confidence", report_number(confidence), "within_bound",
                             game_within_bounds(request, results), "results", figure_array(results, GAME_WHOLE));
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

/* Of one target. */
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

static const char *verdict_of_control(int lost)
{
    return lost ? "It claims nothing against whoever chooses keys, and loses: the adversaries are good enough."
                : "THE CONTROL FAILED: it claims nothing against whoever chooses keys, and must lose to them alone.";
}

static void print_head(const struct game *game, const struct game_request *request, const struct game_result *result)
{
    if (game->family == GAME_RELEASE)
        (void)printf("%s against %s, %s of %s keys in the set\n\n", game->name, result->target,
                     human_count((double)request->members).text, human_count((double)request->universe).text);
    else
        (void)printf("game %s against %s%s, up to %s questions\n\n", game->name, result->target,
                     request->key == GAME_LEAKED_KEY ? ", with the key" : "",
                     human_count((double)request->queries).text);
}

int game_print_table(const struct game *game, const struct game_request *request, struct game_results results)
{
    for (size_t r = 0; r < results.count; r++) {
        const struct game_result *result = &results.result[r];
        int fine = is_right(request, results, r);
        (void)printf("%s", r ? "\n" : "");
        print_head(game, request, result);
        print_row("", "games", "won", "99.9 % interval", "at most");
        for (size_t i = 0; i < result->figures; i++)
            print_figure(&result->figure[i]);
        if (result->refused)
            (void)printf("%s games had no filter: the data was refused.\n", human_count((double)result->refused).text);
        (void)printf("\n%s\n",
                     must_lose(request, results, r) ? verdict_of_control(fine) : verdict(game, request, fine));
    }
    return EXIT_FINE;
}
