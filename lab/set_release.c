/* SPDX-License-Identifier: MIT */
/*
 * The set release games of Tirmazi, "A Privacy Model for Classical & Learned Bloom Filters", games 3.1 and 3.2:
 *
 *   1. The adversary names two sets that differ in one key: S0, and S1 = S0 with x.
 *   2. The dealer tosses a fair coin b. The player releases S_b: in STRICT-SET-RELEASE it may only add keys (nickel),
 * in SET-RELEASE also remove some (dime).
 *   3. The adversary sees the release and guesses b.
 *
 * The adversary knows everything but b. Under both sets all keys but x have the same distribution, so the likelihood
 * ratio of a release is that of x alone, which is above 1 exactly when x is listed; guessing S1 then, and S0 otherwise,
 * is the best there is. Dime at epsilon 1: 0.7311 by the formula, 0.7300 in 100,000 games.
 *
 * Theorems 3.4 and 3.5 say that a filter of the release tells no more than the release, learned or not: the same games
 * with the filter in the adversary's hands. It guesses by the answer to x; and, of a learned filter, by the score that
 * the model in it gives x as well, where the first half of the games shows from which score on S1 is the better guess.
 */
#include "games.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "refuse.h"
#include "released_filter.h"

/* A game of release: two sets that differ in x. */
struct match {
    const struct game_request *request;
    struct stream *stream;
    uf_context ctx;
    uf_universe *universe; /* owned */
    uf_set *side[2];       /* owned: S0 and S1 */
    char name[24];         /* of x */
    uf_key x;
    const char *how; /* NULL: no noise */
};

/* Games by what the adversary saw: x listed or not. Of learned filters also the scores that their models gave x. */
struct score {
    uint64_t games[2], wins[2];
    struct scored {
        int32_t score;
        int b;
    } * scored; /* owned; NULL: no model */
};

/* What it sees of x. */
struct glimpse {
    int listed; /* or a status */
    int32_t score;
};

/* It becomes part of a text that has names and commas too. */
static int check_epsilon(const char *epsilon, uf_error *why)
{
    if (epsilon[0] && !epsilon[strspn(epsilon, "0123456789.eE+-")])
        return UF_OK;
    return refuse(why, UF_EINVAL, "epsilon '%.40s' is not a number: write 3 or 0.5", epsilon);
}

static void clear(struct match *match)
{
    uf_set_free(match->side[0]);
    uf_set_free(match->side[1]);
    uf_universe_free(match->universe);
}

static int add_ranks(const struct match *match, uf_set *set, uint64_t count, uf_error *why)
{
    int status = UF_OK;
    for (uint64_t rank = 0; status == UF_OK && rank < count; rank++) {
        char name[24];
        uf_key key = uf_universe_key(match->universe, rank, name);
        status = uf_set_add(set, &key, 1, why);
    }
    return status;
}

/* S0 has the first keys of the universe, and x is the next one. */
static int draw_sets(struct match *match, uf_error *why)
{
    const struct game_request *request = match->request;
    char universe[48];
    if (stream_open(match->stream, request->seed, 0))
        return refuse(why, UF_ERANDOM, "the system gave no randomness for a game");
    if (request->seed.given) { /* or else the library asks the system itself */
        match->ctx.random = stream_fill;
        match->ctx.random_arg = match->stream;
    }
    (void)snprintf(universe, sizeof universe, "range:1-%llu", (unsigned long long)request->universe);
    int status = uf_universe_parse(universe, &match->ctx, &match->universe, why);
    for (uint64_t b = 0; status == UF_OK && b < 2; b++) {
        status = uf_set_new(match->universe, &match->ctx, &match->side[b], why);
        if (status == UF_OK)
            status = add_ranks(match, match->side[b], request->members + b, why);
    }
    if (status == UF_OK)
        match->x = uf_universe_key(match->universe, request->members, match->name);
    return status;
}

static struct glimpse look_at_filter(const struct match *match, const uf_set *released, uf_error *why)
{
    struct glimpse glimpse = {0, 0};
    uf_filter *filter = NULL;
    uf_model *model = NULL;
    glimpse.listed = released_filter_make(match->request->through, released, &match->ctx, &filter, &model, why);
    if (glimpse.listed == UF_OK)
        glimpse.listed = uf_query(filter, match->x);
    if (model && glimpse.listed >= 0)
        glimpse.score = uf_model_score(model, match->x);
    uf_model_free(model);
    uf_free(filter);
    return glimpse;
}

static struct glimpse look_at(const struct match *match, const uf_set *released, uf_error *why)
{
    if (match->request->through)
        return look_at_filter(match, released, why);
    return (struct glimpse){uf_set_has(released, match->x), 0};
}

/* What the adversary sees of x after round 2. */
static struct glimpse release_and_show(const struct match *match, int b, uf_error *why)
{
    uf_set *released = NULL;
    struct glimpse glimpse = {0, 0};
    if (!match->how)
        return look_at(match, match->side[b], why);
    glimpse.listed = uf_set_release(match->side[b], match->how, &match->ctx, &released, why);
    if (glimpse.listed == UF_OK)
        glimpse = look_at(match, released, why);
    uf_set_free(released);
    return glimpse;
}

static int play_once(const struct match *match, uint64_t number, struct score *score, uf_error *why)
{
    int b = (int)(stream_next(match->stream) >> 63);
    const struct glimpse glimpse = release_and_show(match, b, why);
    const int listed = glimpse.listed;
    if (listed < 0)
        return listed == why->status ? listed : refuse(why, listed, "%s", uf_status_text(listed));
    int guess = listed;
    score->games[listed]++;
    score->wins[listed] += guess == b;
    if (score->scored)
        score->scored[number] = (struct scored){glimpse.score, b};
    return UF_OK;
}

static int play_all(const struct match *match, struct score *score, uf_error *why)
{
    const struct game_request *request = match->request;
    int status = UF_OK;
    for (uint64_t i = 0; status == UF_OK && i < request->trials; i++) {
        status = play_once(match, i, score, why);
        if (status == UF_OK && request->progress && i % 256 == 0 &&
            request->progress(request->progress_arg, i, request->trials))
            status = refuse(why, UF_ECANCELED, "stopped");
    }
    return status;
}

static void add_figure(struct game_result *out, const char *metric, const char *about, uint64_t wins, uint64_t trials,
                       double design)
{
    out->figure[out->figures++] = (struct game_figure){metric, about, wins, trials, design, 0, GAME_WHOLE};
}

/* ---- by the model's score ---- */

static int by_score(const void *one, const void *other)
{
    const struct scored *a = one, *b = other;
    return (a->score > b->score) - (a->score < b->score);
}

/* The score from which on S1 is the better guess, in these games: those below it are taken for S0. */
static int32_t best_threshold(struct scored *games, uint64_t count)
{
    int64_t gain = 0, best = 0; /* games won more than by always guessing S1 */
    int32_t threshold = INT32_MIN;
    qsort(games, count, sizeof *games, by_score);
    for (uint64_t i = 0; i < count; i++) {
        gain += games[i].b ? -1 : 1;
        if (gain > best && (i + 1 == count || games[i + 1].score != games[i].score)) {
            best = gain;
            threshold = games[i].score + 1;
        }
    }
    return threshold;
}

static void add_by_score(const struct game_request *request, struct game_result *out, struct score *score,
                         double design)
{
    const uint64_t half = request->trials / 2;
    uint64_t wins = 0;
    if (score->scored && request->noise != GAME_NO_NOISE && half) {
        const int32_t threshold = best_threshold(score->scored, half);
        for (uint64_t i = half; i < request->trials; i++)
            wins += (score->scored[i].score >= threshold) == score->scored[i].b;
        add_figure(out, "win_rate_score", "by the model's score", wins, request->trials - half, design);
    }
    free(score->scored);
    score->scored = NULL;
}

static int remember_scores(const struct game_request *request, struct score *score, uf_error *why)
{
    if (!request->through || !released_filter_is_learned(request->through))
        return UF_OK;
    score->scored = calloc((size_t)request->trials, sizeof *score->scored);
    return score->scored ? UF_OK : refuse(why, UF_ENOMEM, "no memory for the scores of a game");
}

static int play(const struct game_request *request, const char *mechanism, struct game_result *out, struct score *score,
                uf_error *why)
{
    struct stream stream;
    struct match match = {.request = request, .stream = &stream, .ctx = UF_CONTEXT_INIT};
    *why = (uf_error){UF_OK, 0, ""};
    *out = (struct game_result){.figures = 0};
    if (request->noise == GAME_NO_NOISE)
        (void)snprintf(out->target, sizeof out->target, "no noise");
    else
        (void)snprintf(out->target, sizeof out->target, "%s:epsilon=%.40s", mechanism, request->epsilon);
    char how[sizeof out->target];
    memcpy(how, out->target, sizeof how);
    int status = check_epsilon(request->epsilon, why);
    if (status == UF_OK)
        status = remember_scores(request, score, why);
    if (status != UF_OK)
        return status;
    status = draw_sets(&match, why);
    match.how = request->noise == GAME_NO_NOISE ? NULL : how;
    if (status == UF_OK)
        status = play_all(&match, score, why);
    if (request->through)
        (void)snprintf(out->target, sizeof out->target, "%.70s of %.60s", request->through->text, how);
    clear(&match);
    return status;
}

static int play_dime(const struct game_request *request, struct game_result *out, uf_error *why)
{
    struct score score = {.scored = NULL};
    int status = play(request, "dime", out, &score, why);
    if (status != UF_OK) {
        free(score.scored);
        return status;
    }
    double q = request->noise == GAME_NO_NOISE ? 0 : 1 / (1 + exp(strtod(request->epsilon, NULL)));
    add_figure(out, "win_rate", "all games", score.wins[0] + score.wins[1], request->trials, 1 - q);
    add_by_score(request, out, &score, 1 - q);
    return UF_OK;
}

/* A key that is not listed gives b away; of those that are, 1 / (1 + q) belong to S1. */
static int play_nickel(const struct game_request *request, struct game_result *out, uf_error *why)
{
    struct score score = {.scored = NULL};
    int status = play(request, "nickel", out, &score, why);
    if (status != UF_OK) {
        free(score.scored);
        return status;
    }
    double q = request->noise == GAME_NO_NOISE ? 0 : exp(-strtod(request->epsilon, NULL));
    add_figure(out, "win_rate", "all games", score.wins[0] + score.wins[1], request->trials, 1 - q / 2);
    add_figure(out, "win_rate_listed", "the key was listed", score.wins[1], score.games[1], 1 / (1 + q));
    add_figure(out, "win_rate_not_listed", "it was not", score.wins[0], score.games[0], 1);
    add_by_score(request, out, &score, 1 - q / 2);
    return UF_OK;
}

const struct game game_set_release = {
    .name = "set-release",
    .about = "dime: keys may be added and removed (game 3.2 of the paper)",
    .family = GAME_RELEASE,
    .play = play_dime,
};

const struct game game_strict_set_release = {
    .name = "strict-set-release",
    .about = "nickel: keys may only be added (game 3.1 of the paper)",
    .family = GAME_RELEASE,
    .play = play_nickel,
};
