/* SPDX-License-Identifier: MIT */
/*
 * The learned games, challenges 3 and 4 of the paper on adversary resilient learned Bloom filters:
 *
 *   1. The adversary chooses a set S and data D to learn from. A model is trained on D.
 *   2. A filter of S is made, with that model and a fresh key. In game 4 the model and the filter's file are revealed;
 *      the key never is.
 *   3. The adversary asks the filter about at most t texts, one after the other.
 *   4. It names a text that is neither in S nor was asked for, and wins when the filter accepts it.
 *
 * The adversaries' choice of S and D is the same in every game, so the model is trained once; each game has a filter
 * with a key of its own. On that filter every adversary plays a game, knowing nothing of the others. Whoever chooses
 * the text chooses the region, so what can be won is the rate of the weakest region and not the average,
 * which is what theorem 4 of the paper takes.
 *
 * Without its key the file of a keyed filter cannot be loaded: what white box uses of it is in learned_value. The file
 * of an unkeyed one answers everything.
 */
#include <string.h>

#include "games.h"
#include "learned_adversary.h"
#include "refuse.h"
#include "trials.h"

/* So that a filter can be planned anew in each game. */
enum { REGIONS = 4, LEVELS = 32 };

/* Of the stream that makes up the corpus: no game has it. */
static const uint64_t corpus_number = UINT64_C(1) << 62;

struct match {
    const struct game_request *request;
    const struct learned_setup *setup;
    unsigned players;
    int revealed;                       /* game 4 */
    uint64_t claimed;                   /* atomic: the sum of what the filters claim, in units */
    uint64_t wins[LEARNED_ADVERSARIES]; /* atomic */
};

/* Whole numbers add up to the same sum in any order. */
static const double unit = 1e-12;

/* Whether an adversary can have a filter that answers as the target does: it takes the file, and the key if any. */
static int can_copy(const struct match *match, const struct learned_target *target)
{
    return match->request->key == GAME_LEAKED_KEY || (match->revealed && !target->key);
}

static int play_challenge(struct match *match, unsigned who, const struct learned_target *target, struct stream *stream,
                          uf_error *why)
{
    struct learned_challenge challenge = {
        .oracle = {.target = target, .corpus = match->setup->corpus, .stream = stream},
        .most = match->request->queries,
        .copy = can_copy(match, target) ? target->filter : NULL};
    struct text named;
    int status = learned_adversaries[who]->answer(&challenge, &named);
    if (status > 0 && oracle_is_new(&challenge.oracle, &named) && uf_query(target->filter, text_key(&named)))
        __atomic_fetch_add(&match->wins[who], 1, __ATOMIC_RELAXED);
    oracle_close(&challenge.oracle);
    return status < 0 ? refuse(why, UF_ENOMEM, "no memory for the questions of a game") : UF_OK;
}

static int play_one(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    struct match *match = arg;
    struct learned_target target;
    struct stream stream;
    if (stream_open(&stream, match->request->seed, ~number))
        return refuse(why, UF_ERANDOM, "the system gave no randomness for a game");
    int status = learned_target_new(match->setup, match->request->learned, ctx, &target, why);
    if (status != UF_OK)
        return status;
    __atomic_fetch_add(&match->claimed, (uint64_t)(target.bound / unit), __ATOMIC_RELAXED);
    for (unsigned who = 0; status == UF_OK && who < match->players; who++)
        status = play_challenge(match, who, &target, &stream, why);
    learned_target_free(&target);
    return status;
}

static int name_target(const struct match *match, struct game_result *out, uf_error *why)
{
    struct learned_target target;
    uf_context ctx = UF_CONTEXT_INIT;
    int status = learned_target_new(match->setup, match->request->learned, &ctx, &target, why);
    if (status != UF_OK)
        return status;
    (void)snprintf(out->target, sizeof out->target, "%.150s", target.spec.text);
    learned_target_free(&target);
    return UF_OK;
}

/* Every filter is held against what it claims itself: what may be won is the sum of that. */
static void add_figures(const struct match *match, struct game_result *out)
{
    uint64_t games = match->request->trials, wins = 0;
    const double design = games ? (double)match->claimed * unit / (double)games : 0;
    for (unsigned i = 0; i < match->players; i++)
        wins += match->wins[i];
    out->figure[out->figures++] =
        (struct game_figure){"win_rate", "all games", wins, match->players * games, design, GAME_WHOLE};
    for (unsigned i = 0; i < match->players; i++)
        out->figure[out->figures++] = (struct game_figure){
            learned_adversaries[i]->metric, learned_adversaries[i]->about, match->wins[i], games, design, GAME_PART};
}

static int play_match(struct match *match, struct game_result *out, uf_error *why)
{
    const struct game_request *request = match->request;
    struct trials trials = {.count = request->trials,
                            .threads = request->threads,
                            .seed = request->seed,
                            .progress = request->progress,
                            .progress_arg = request->progress_arg};
    int status = name_target(match, out, why);
    if (status == UF_OK)
        status = trials_run(&trials, play_one, match, why);
    if (status == UF_OK)
        add_figures(match, out);
    return status;
}

static int play_setup(struct match *match, const struct corpus *corpus, struct game_result *out, uf_error *why)
{
    const struct game_request *request = match->request;
    const struct learned_plan plan = {request->kind, request->fpr, request->share, REGIONS, LEVELS};
    struct learned_setup setup;
    int status = learned_setup_open(corpus, &plan, &setup, why);
    if (status != UF_OK)
        return status;
    match->setup = &setup;
    status = play_match(match, out, why);
    learned_setup_close(&setup);
    return status;
}

static int play(struct match *match, struct game_result *out, uf_error *why)
{
    const struct game_request *request = match->request;
    const size_t n = (size_t)request->members;
    struct corpus corpus;
    struct stream stream;
    *why = (uf_error){UF_OK, 0, ""};
    *out = (struct game_result){.figures = 0};
    if (stream_open(&stream, request->seed, corpus_number))
        return refuse(why, UF_ERANDOM, "the system gave no randomness for a game");
    int status = corpus_make(n, n, &stream, &corpus, why);
    if (status != UF_OK)
        return status;
    status = play_setup(match, &corpus, out, why);
    corpus_free(&corpus);
    return status;
}

static int play_3(const struct game_request *request, struct game_result *out, uf_error *why)
{
    struct match match = {.request = request, .players = LEARNED_BLACK_BOX};
    return play(&match, out, why);
}

static int play_4(const struct game_request *request, struct game_result *out, uf_error *why)
{
    struct match match = {.request = request, .players = LEARNED_ADVERSARIES, .revealed = 1};
    return play(&match, out, why);
}

const struct game game_3 = {
    .name = "3",
    .about = "find a false positive of a learned filter by questions (challenge 3)",
    .family = GAME_LEARNED,
    .play = play_3,
};

const struct game game_4 = {
    .name = "4",
    .about = "the same with model and file revealed, not the key (challenge 4)",
    .family = GAME_LEARNED,
    .play = play_4,
};
