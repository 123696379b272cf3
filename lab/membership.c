/* SPDX-License-Identifier: MIT */
/*
 * The membership games, challenges 1 and 2 of the paper on adversary resilient learned Bloom filters (Uptown and
 * Downtown Bodega), after Naor and Yogev, "Bloom filters in adversarial environments", CRYPTO 2015:
 *
 *   1. The adversary chooses a set S of n items.
 *   2. A filter of S is made, with a fresh key. In game 2 its bits are revealed; the key never is.
 *   3. The adversary asks the filter about at most t items, one after the other.
 *   4. It names an item that is neither in S nor was asked for, and wins when the filter accepts it.
 *
 * A filter that nobody can see through is won with its false-positive rate. The adversaries are in adversary.c, and
 * each of them plays as many games as are wished for. Every game has a key, a set and a stream of its own, by its
 * number, so the result does not depend on the threads.
 */
#include <stdlib.h>
#include <string.h>

#include "adversary.h"
#include "games.h"
#include "refuse.h"
#include "trials.h"

struct match {
    const struct game_wish *wish;
    struct target_plan plan;
    int revealed; /* game 2 */
    double design;
    uint64_t wins[ADVERSARIES]; /* atomic */
};

/* What one game has on the table. */
struct board {
    struct target target, copy;
    struct view view;
    struct duel duel;
};

static void clear(struct board *board)
{
    target_free(&board->target);
    target_free(&board->copy);
    view_free(&board->view);
    free(board->duel.set);
    free(board->duel.asked);
}

/* The adversary's set, and the filter of it. */
static int set_up(const struct match *match, const struct adversary *adversary, const uf_context *ctx,
                  struct board *board, uf_error *why)
{
    struct duel *duel = &board->duel;
    duel->n = (size_t)match->plan.n;
    duel->most = (size_t)match->wish->queries;
    duel->set = calloc(duel->n, sizeof *duel->set);
    duel->asked = calloc(duel->most + 1, sizeof *duel->asked);
    if (!duel->set || !duel->asked)
        return refuse(why, UF_ENOMEM, "no memory for a game");
    adversary->choose(duel);
    int status = target_new(match->wish->target, &match->plan, ctx, &board->target, why);
    if (status == UF_OK)
        status = target_insert(&board->target, duel->set, duel->n);
    duel->target = &board->target;
    return status == UF_OK || why->status == status ? status : refuse(why, status, uf_status_text(status));
}

/* What the adversary may have besides: in game 2 the bits; with a leaked key a perfect copy; or else a copy with a key
 * of its own. */
static int hand_over(const struct match *match, struct board *board, uf_error *why)
{
    struct duel *duel = &board->duel;
    int leaked = match->wish->key == GAME_LEAKED_KEY;
    uf_context own = UF_CONTEXT_INIT;
    own.random = stream_fill;
    own.random_arg = &duel->stream;
    if (match->revealed && !leaked) {
        duel->view = &board->view;
        return target_view(&board->target, stream_next(&duel->stream), &board->view, why);
    }
    int status = target_copy(&board->target, leaked ? KNOWS_KEY : KNOWS_PLAN, &own, &board->copy, why);
    if (status == UF_OK)
        status = target_insert(&board->copy, duel->set, duel->n);
    duel->copy = &board->copy;
    return status == UF_OK || why->status == status ? status : refuse(why, status, uf_status_text(status));
}

static int play_one(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    struct match *match = arg;
    unsigned who = (unsigned)(number % ADVERSARIES);
    struct board board = {.duel.n = 0};
    struct item named;
    int status = UF_OK;
    if (stream_open(&board.duel.stream, match->wish->seed, ~number))
        return refuse(why, UF_ERANDOM, "the system gave no randomness for a game");
    status = set_up(match, adversaries[who], ctx, &board, why);
    if (status == UF_OK)
        status = hand_over(match, &board, why);
    if (status == UF_OK) {
        adversaries[who]->answer(&board.duel, &named);
        if (duel_is_new(&board.duel, &named) && target_hits(&board.target, &named, 1))
            __atomic_fetch_add(&match->wins[who], 1, __ATOMIC_RELAXED);
    }
    clear(&board);
    return status;
}

/* The rate that the filter is designed for, and its name. */
static int look_at_target(struct match *match, struct game_result *out, uf_error *why)
{
    struct target target;
    uf_context ctx = UF_CONTEXT_INIT;
    int status = target_new(match->wish->target, &match->plan, &ctx, &target, why);
    if (status != UF_OK)
        return status;
    match->design = target.design;
    (void)snprintf(out->target, sizeof out->target, "%.150s",
                   target.filter ? target.spec.text : target_name(match->wish->target));
    target_free(&target);
    return UF_OK;
}

static void put_figures(const struct match *match, struct game_result *out)
{
    uint64_t games = match->wish->trials, wins = 0;
    for (unsigned i = 0; i < ADVERSARIES; i++)
        wins += match->wins[i];
    out->figure[out->figures++] =
        (struct game_figure){"win_rate", "all games", wins, ADVERSARIES * games, match->design, GAME_WHOLE};
    for (unsigned i = 0; i < ADVERSARIES; i++)
        out->figure[out->figures++] = (struct game_figure){
            adversaries[i]->metric, adversaries[i]->about, match->wins[i], games, match->design, GAME_PART};
}

static int play(const struct game_wish *wish, int revealed, struct game_result *out, uf_error *why)
{
    struct match match = {.wish = wish, .plan = {wish->kind, wish->members, wish->fpr}, .revealed = revealed};
    struct trials trials = {.count = ADVERSARIES * wish->trials,
                            .threads = wish->threads,
                            .seed = wish->seed,
                            .progress = wish->progress,
                            .progress_arg = wish->progress_arg};
    *why = (uf_error){UF_OK, 0, ""};
    *out = (struct game_result){.figures = 0};
    int status = look_at_target(&match, out, why);
    if (status == UF_OK)
        status = trials_run(&trials, play_one, &match, why);
    if (status == UF_OK)
        put_figures(&match, out);
    return status;
}

static int play_1(const struct game_wish *wish, struct game_result *out, uf_error *why)
{
    return play(wish, 0, out, why);
}

static int play_2(const struct game_wish *wish, struct game_result *out, uf_error *why)
{
    return play(wish, 1, out, why);
}

const struct game game_1 = {
    .name = "1",
    .about = "find a false positive by questions (challenge 1 of the paper)",
    .family = GAME_MEMBERSHIP,
    .play = play_1,
};

const struct game game_2 = {
    .name = "2",
    .about = "the same with the filter's bits revealed, not its key (challenge 2)",
    .family = GAME_MEMBERSHIP,
    .play = play_2,
};
