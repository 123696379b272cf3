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
 */
#include "games.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "refuse.h"

/* What is on the table. */
struct table {
    const struct game_wish *wish;
    struct stream *stream;
    uf_context ctx;
    uf_universe *universe; /* owned */
    uf_set *side[2];       /* owned: S0 and S1 */
    char name[24];         /* of x */
    uf_key x;
    const char *how; /* NULL: no noise */
};

/* Games by what the adversary saw: x listed or not. */
struct score {
    uint64_t games[2], wins[2];
};

/* It becomes part of a text that has names and commas too. */
static int check_epsilon(const char *epsilon, uf_error *why)
{
    char text[120];
    (void)snprintf(text, sizeof text, "epsilon '%.40s' is not a number: write 3 or 0.5", epsilon);
    return epsilon[0] && !epsilon[strspn(epsilon, "0123456789.eE+-")] ? UF_OK : refuse(why, UF_EINVAL, text);
}

static void clear(struct table *table)
{
    uf_set_free(table->side[0]);
    uf_set_free(table->side[1]);
    uf_universe_free(table->universe);
}

static int add_ranks(const struct table *table, uf_set *set, uint64_t count, uf_error *why)
{
    int status = UF_OK;
    for (uint64_t rank = 0; status == UF_OK && rank < count; rank++) {
        char name[24];
        uf_key key = uf_universe_key(table->universe, rank, name);
        status = uf_set_add(set, &key, 1, why);
    }
    return status;
}

/* S0 has the first keys of the universe, and x is the next one. */
static int lay(struct table *table, uf_error *why)
{
    const struct game_wish *wish = table->wish;
    char universe[48];
    if (stream_open(table->stream, wish->seed, 0))
        return refuse(why, UF_ERANDOM, "the system gave no randomness for a game");
    if (wish->seed.given) { /* or else the library asks the system itself */
        table->ctx.random = stream_fill;
        table->ctx.random_arg = table->stream;
    }
    (void)snprintf(universe, sizeof universe, "range:1-%llu", (unsigned long long)wish->universe);
    int status = uf_universe_parse(universe, &table->ctx, &table->universe, why);
    for (uint64_t b = 0; status == UF_OK && b < 2; b++) {
        status = uf_set_new(table->universe, &table->ctx, &table->side[b], why);
        if (status == UF_OK)
            status = add_ranks(table, table->side[b], wish->members + b, why);
    }
    if (status == UF_OK)
        table->x = uf_universe_key(table->universe, wish->members, table->name);
    return status;
}

/* What the adversary sees of x after round 2: 1 listed, 0 not, or a status. */
static int release_and_look(const struct table *table, int b, uf_error *why)
{
    uf_set *released = NULL;
    if (!table->how)
        return uf_set_has(table->side[b], table->x);
    int status = uf_set_release(table->side[b], table->how, &table->ctx, &released, why);
    int listed = status == UF_OK ? uf_set_has(released, table->x) : status;
    uf_set_free(released);
    return listed;
}

static int play_once(const struct table *table, struct score *score, uf_error *why)
{
    int b = (int)(stream_next(table->stream) >> 63), listed = release_and_look(table, b, why);
    if (listed < 0)
        return listed == why->status ? listed : refuse(why, listed, uf_status_text(listed));
    int guess = listed;
    score->games[listed]++;
    score->wins[listed] += guess == b;
    return UF_OK;
}

static int play_all(const struct table *table, struct score *score, uf_error *why)
{
    const struct game_wish *wish = table->wish;
    int status = UF_OK;
    for (uint64_t i = 0; status == UF_OK && i < wish->trials; i++) {
        status = play_once(table, score, why);
        if (status == UF_OK && wish->progress && i % 256 == 0 && wish->progress(wish->progress_arg, i, wish->trials))
            status = refuse(why, UF_ECANCELED, "stopped");
    }
    return status;
}

static void put_figure(struct game_result *out, const char *metric, const char *about, uint64_t wins, uint64_t trials,
                       double design)
{
    out->figure[out->figures++] = (struct game_figure){metric, about, wins, trials, design, GAME_WHOLE};
}

static int play(const struct game_wish *wish, const char *mechanism, struct game_result *out, struct score *score,
                uf_error *why)
{
    struct stream stream;
    struct table table = {.wish = wish, .stream = &stream, .ctx = UF_CONTEXT_INIT};
    *why = (uf_error){UF_OK, 0, ""};
    *out = (struct game_result){.figures = 0};
    if (wish->noise == GAME_NO_NOISE)
        (void)snprintf(out->target, sizeof out->target, "no noise");
    else
        (void)snprintf(out->target, sizeof out->target, "%s:epsilon=%.40s", mechanism, wish->epsilon);
    int status = check_epsilon(wish->epsilon, why);
    if (status != UF_OK)
        return status;
    status = lay(&table, why);
    table.how = wish->noise == GAME_NO_NOISE ? NULL : out->target;
    if (status == UF_OK)
        status = play_all(&table, score, why);
    clear(&table);
    return status;
}

static int play_dime(const struct game_wish *wish, struct game_result *out, uf_error *why)
{
    struct score score = {{0, 0}, {0, 0}};
    int status = play(wish, "dime", out, &score, why);
    if (status != UF_OK)
        return status;
    double q = wish->noise == GAME_NO_NOISE ? 0 : 1 / (1 + exp(strtod(wish->epsilon, NULL)));
    put_figure(out, "win_rate", "all games", score.wins[0] + score.wins[1], wish->trials, 1 - q);
    return UF_OK;
}

/* A key that is not listed gives b away; of those that are, 1 / (1 + q) belong to S1. */
static int play_nickel(const struct game_wish *wish, struct game_result *out, uf_error *why)
{
    struct score score = {{0, 0}, {0, 0}};
    int status = play(wish, "nickel", out, &score, why);
    if (status != UF_OK)
        return status;
    double q = wish->noise == GAME_NO_NOISE ? 0 : exp(-strtod(wish->epsilon, NULL));
    put_figure(out, "win_rate", "all games", score.wins[0] + score.wins[1], wish->trials, 1 - q / 2);
    put_figure(out, "win_rate_listed", "the key was listed", score.wins[1], score.games[1], 1 / (1 + q));
    put_figure(out, "win_rate_not_listed", "it was not", score.wins[0], score.games[0], 1);
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
