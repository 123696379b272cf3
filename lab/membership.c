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
 * In the game `unsteady` the filter changes while it is played for, as those of definition 4 do: it starts with half of
 * S. The adversary asks for the other half, one after the other, and has those inserted that the filter does not answer
 * to, which fill it most, and random items in the place of the others. From then on it is game 1. A filter is held
 * against what it claims as it is then, and refuses what would raise its rate above that.
 *
 * A filter that nobody can see through is won with its false-positive rate. The adversaries are in adversary.c, and
 * each of them plays as many games as are requested for. Every game has a key, a set and a stream of its own, by its
 * number, so the result does not depend on the threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adversary.h"
#include "games.h"
#include "refuse.h"
#include "trials.h"

struct match {
    const struct game_request *request;
    struct target_plan plan;
    int revealed; /* game 2 */
    int unsteady;
    double design;
    uint64_t claimed;           /* atomic: unsteady, the sum of what the filters claim at the end, in units */
    uint64_t wins[ADVERSARIES]; /* atomic */
};

/* The state of one game. */
struct state {
    struct target target, copy;
    struct view view;
    struct challenge challenge;
};

static void clear(struct state *state)
{
    target_free(&state->target);
    target_free(&state->copy);
    view_free(&state->view);
    free(state->challenge.set);
    free(state->challenge.asked);
}

/* Whole numbers add up to the same sum in any order. */
static const double unit = 1e-12;

/* What it claims against whoever asks and inserts; its design where it claims nothing of the kind. */
static double claim_of(const struct target *target)
{
    uf_claim claim = {.adversarial_fpr = NAN};
    if (target->filter)
        uf_get_claim(target->filter, &claim, sizeof claim);
    return isnan(claim.adversarial_fpr) || !(claim.fpr_against & UF_AGAINST_INSERTS) ? target->design
                                                                                     : claim.adversarial_fpr;
}

/* Inserts set[from] to the last, each of them only when the filter does not answer to it, and otherwise another one,
 * with half of the questions. S is what is in it then: it may refuse some. */
static int fill_up(struct challenge *challenge, struct target *target, size_t from)
{
    int status = UF_OK;
    for (size_t i = from; i < challenge->n; i++) {
        uint8_t known = 1;
        while (known && 2 * challenge->asked_count < challenge->most &&
               challenge_ask(challenge, &challenge->set[i], 1, &known) && known)
            items_draw(&challenge->stream, &challenge->set[i], 1);
        status = target_insert(target, &challenge->set[i], 1);
        if (status != UF_OK) {
            challenge->n = i;
            break;
        }
    }
    return status == UF_EFULL ? UF_OK : status;
}

/* The adversary's set, and the filter of it. */
static int set_up(const struct match *match, const struct adversary *adversary, const uf_context *ctx,
                  struct state *state, uf_error *why)
{
    struct challenge *challenge = &state->challenge;
    challenge->n = (size_t)match->plan.n;
    challenge->most = (size_t)match->request->queries;
    challenge->set = calloc(challenge->n, sizeof *challenge->set);
    challenge->asked = calloc(challenge->most + 1, sizeof *challenge->asked);
    if (!challenge->set || !challenge->asked)
        return refuse(why, UF_ENOMEM, "no memory for a game");
    adversary->choose(challenge);
    int status = target_new(match->request->target, &match->plan, ctx, &state->target, why);
    const size_t first = match->unsteady ? challenge->n / 2 : challenge->n;
    if (status == UF_OK)
        status = target_insert(&state->target, challenge->set, first);
    challenge->target = &state->target;
    if (status == UF_OK)
        status = fill_up(challenge, &state->target, first);
    return status == UF_OK || why->status == status ? status : refuse(why, status, "%s", uf_status_text(status));
}

/* What the adversary may have besides: in game 2 the bits; with a leaked key a perfect copy; or else a copy with a key
 * of its own. */
static int hand_over(const struct match *match, struct state *state, uf_error *why)
{
    struct challenge *challenge = &state->challenge;
    int leaked = match->request->key == GAME_LEAKED_KEY;
    uf_context own = UF_CONTEXT_INIT;
    own.random = stream_fill;
    own.random_arg = &challenge->stream;
    if (match->revealed && !leaked) {
        challenge->view = &state->view;
        return target_view(&state->target, stream_next(&challenge->stream), &state->view, why);
    }
    int status = target_copy(&state->target, leaked ? KNOWS_KEY : KNOWS_PLAN, &own, &state->copy, why);
    if (status == UF_OK)
        status = target_insert(&state->copy, challenge->set, challenge->n);
    challenge->copy = &state->copy;
    return status == UF_OK || why->status == status ? status : refuse(why, status, "%s", uf_status_text(status));
}

static int play_one(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    struct match *match = arg;
    unsigned who = (unsigned)(number % ADVERSARIES);
    struct state state = {.challenge.n = 0};
    struct item named;
    int status = UF_OK;
    if (stream_open(&state.challenge.stream, match->request->seed, ~number))
        return refuse(why, UF_ERANDOM, "the system gave no randomness for a game");
    status = set_up(match, adversaries[who], ctx, &state, why);
    if (status == UF_OK)
        status = hand_over(match, &state, why);
    if (status == UF_OK) {
        __atomic_fetch_add(&match->claimed, (uint64_t)(claim_of(&state.target) / unit), __ATOMIC_RELAXED);
        adversaries[who]->answer(&state.challenge, &named);
        if (challenge_is_new(&state.challenge, &named) && target_hits(&state.target, &named, 1))
            __atomic_fetch_add(&match->wins[who], 1, __ATOMIC_RELAXED);
    }
    clear(&state);
    return status;
}

/* The rate that the filter is designed for, and its name. */
static int inspect_target(struct match *match, struct game_result *out, uf_error *why)
{
    struct target target;
    uf_context ctx = UF_CONTEXT_INIT;
    int status = target_new(match->request->target, &match->plan, &ctx, &target, why);
    if (status != UF_OK)
        return status;
    match->design = target.design;
    (void)snprintf(out->target, sizeof out->target, "%.150s",
                   target.filter ? target.spec.text : target_name(match->request->target));
    target_free(&target);
    return UF_OK;
}

static void add_figures(struct match *match, struct game_result *out)
{
    uint64_t games = match->request->trials, wins = 0;
    if (match->unsteady)
        match->design = (double)match->claimed * unit / (double)(ADVERSARIES * games);
    for (unsigned i = 0; i < ADVERSARIES; i++)
        wins += match->wins[i];
    out->figure[out->figures++] =
        (struct game_figure){"win_rate", "all games", wins, ADVERSARIES * games, match->design, 0, GAME_WHOLE};
    for (unsigned i = 0; i < ADVERSARIES; i++)
        out->figure[out->figures++] = (struct game_figure){
            adversaries[i]->metric, adversaries[i]->about, match->wins[i], games, match->design, 0, GAME_PART};
}

enum how { ASKED, REVEALED, UNSTEADY };

static int play(const struct game_request *request, enum how how, struct game_result *out, uf_error *why)
{
    struct match match = {.request = request,
                          .plan = {.kind = request->kind, .n = request->members, .fpr = request->fpr},
                          .revealed = how == REVEALED,
                          .unsteady = how == UNSTEADY};
    struct trials trials = {.count = ADVERSARIES * request->trials,
                            .threads = request->threads,
                            .seed = request->seed,
                            .progress = request->progress,
                            .progress_arg = request->progress_arg};
    *why = (uf_error){UF_OK, 0, ""};
    *out = (struct game_result){.figures = 0};
    int status = inspect_target(&match, out, why);
    if (status == UF_OK)
        status = trials_run(&trials, play_one, &match, why);
    if (status == UF_OK)
        add_figures(&match, out);
    return status;
}

static int play_1(const struct game_request *request, struct game_result *out, uf_error *why)
{
    return play(request, ASKED, out, why);
}

static int play_2(const struct game_request *request, struct game_result *out, uf_error *why)
{
    return play(request, REVEALED, out, why);
}

static int play_unsteady(const struct game_request *request, struct game_result *out, uf_error *why)
{
    return play(request, UNSTEADY, out, why);
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

const struct game game_unsteady = {
    .name = "unsteady",
    .about = "find a false positive of a filter that also takes one's inserts (definition 4)",
    .family = GAME_MEMBERSHIP,
    .play = play_unsteady,
};
