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
 * Adversaries choose S and D in several ways (choice.h), which take turns. There are some sets of each, for which a
 * model is trained once (worlds.h); each game has a filter with a key of its own, and uptown a model of its own. On
 * that filter every adversary plays a game, knowing nothing of the others. Whoever chooses the text chooses the region,
 * so what can be won is the rate of the weakest region and not the average, which is what theorem 4 of the paper takes.
 *
 * The adversary that keeps to keys like the negatives is held against what is promised for those; all others against
 * what is claimed under attack. D that the library refuses, and so makes no filter of, wins nothing.
 *
 * Without its key the file of a keyed filter cannot be loaded: what white box uses of it is in learned_value. The file
 * of an unkeyed one answers everything.
 */
#include <string.h>

#include "games.h"
#include "learned_adversary.h"
#include "refuse.h"
#include "trials.h"
#include "worlds.h"

/* So that a filter can be planned anew in each game. */
enum { REGIONS = 4, LEVELS = 32 };

/* Sets of each choice, when there are games enough for them. */
enum { SETS = 8, MANY_GAMES = 1000 };

/* Of the stream that makes up the corpus: no game has it. */
static const uint64_t corpus_number = UINT64_C(1) << 62;

/* Of one choice. Atomic. */
struct tally {
    uint64_t games, refused, unclaimed;
    uint64_t claimed, promised; /* sums of what the filters claim, in units */
    uint64_t wins[LEARNED_ADVERSARIES];
};

struct match {
    const struct game_request *request;
    const struct worlds *worlds;
    unsigned players;
    int revealed; /* game 4 */
    struct tally tally[CHOICES];
};

/* Whole numbers add up to the same sum in any order. */
static const double unit = 1e-12;

static void add(uint64_t *sum, uint64_t value)
{
    __atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
}

/* Whether an adversary can have a filter that answers as the target does: it takes the file, and the key if any. */
static int can_copy(const struct match *match, const struct learned_target *target)
{
    return match->request->key == GAME_LEAKED_KEY || (match->revealed && !target->key);
}

static int play_challenge(const struct match *match, unsigned who, const struct learned_target *target,
                          struct stream *stream, uint64_t *wins, uf_error *why)
{
    struct learned_challenge challenge = {
        .oracle = {.target = target, .corpus = target->setup->corpus, .stream = stream, .edits = TEXT_ALL_EDITS},
        .most = match->request->queries,
        .copy = can_copy(match, target) ? target->filter : NULL};
    struct text named;
    int status = learned_adversaries[who]->answer(&challenge, &named);
    if (status > 0 && oracle_is_new(&challenge.oracle, &named) && uf_query(target->filter, text_key(&named)))
        add(wins, 1);
    oracle_close(&challenge.oracle);
    return status < 0 ? refuse(why, UF_ENOMEM, "no memory for the questions of a game") : UF_OK;
}

/* Whoever has the key need not keep to keys like the negatives, of which there may be none that is accepted. */
static int plays(const struct match *match, unsigned who)
{
    return match->request->key == GAME_SECRET_KEY || !learned_adversaries[who]->alike;
}

static int play_filter(const struct match *match, const struct learned_target *target, struct stream *stream,
                       struct tally *tally, uf_error *why)
{
    int status = UF_OK;
    add(&tally->games, 1);
    add(&tally->unclaimed, !target->claims);
    add(&tally->claimed, (uint64_t)(target->bound / unit));
    add(&tally->promised, (uint64_t)(target->promised / unit));
    for (unsigned who = 0; status == UF_OK && who < match->players; who++)
        if (plays(match, who))
            status = play_challenge(match, who, target, stream, &tally->wins[who], why);
    return status;
}

static int play_one(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    struct match *match = arg;
    const struct world *world = world_of(match->worlds, number);
    struct tally *tally = &match->tally[world->choice - choices];
    struct learned_target target;
    struct stream stream;
    if (stream_open(&stream, match->request->seed, ~number))
        return refuse(why, UF_ERANDOM, "the system gave no randomness for a game");
    int status =
        world->refused ? world->refused : learned_target_new(&world->setup, match->request->learned, ctx, &target, why);
    if (status == UF_EINVAL) /* of what the adversary handed in */
        add(&tally->refused, 1);
    if (status != UF_OK)
        return status == UF_EINVAL ? UF_OK : status;
    status = play_filter(match, &target, &stream, tally, why);
    learned_target_free(&target);
    return status;
}

/* What is played against, in words; and whether the request makes sense. */
static int name_target(const struct match *match, struct game_result *out, uf_error *why)
{
    struct learned_target target;
    uf_context ctx = UF_CONTEXT_INIT;
    const struct world *world = match->worlds->world;
    int status = world->refused;
    if (status != UF_OK)
        *why = world->why;
    else
        status = learned_target_new(&world->setup, match->request->learned, &ctx, &target, why);
    if (status != UF_OK)
        return status;
    (void)snprintf(out->target, sizeof out->target, "%.150s", target.spec.text);
    learned_target_free(&target);
    return UF_OK;
}

/* ---- what came out ---- */

static double mean(uint64_t units, uint64_t games)
{
    return games ? (double)units * unit / (double)games : 0;
}

static void add_tally(struct tally *sum, const struct tally *tally)
{
    sum->games += tally->games;
    sum->refused += tally->refused;
    sum->unclaimed += tally->unclaimed;
    sum->claimed += tally->claimed;
    sum->promised += tally->promised;
    for (unsigned i = 0; i < LEARNED_ADVERSARIES; i++)
        sum->wins[i] += tally->wins[i];
}

/* Of all adversaries that are held against the claim under attack. Every filter is held against what it claims itself:
 * what may be won is the sum of that. */
static struct game_figure figure_of(const struct match *match, const struct tally *tally)
{
    struct game_figure figure = {.design = mean(tally->claimed, tally->games)};
    for (unsigned i = 0; i < match->players; i++)
        if (!learned_adversaries[i]->alike) {
            figure.wins += tally->wins[i];
            figure.trials += tally->games;
        }
    return figure;
}

static void add_figure(struct game_result *out, struct game_figure figure, const char *metric, const char *about,
                       enum game_extent extent)
{
    figure.metric = metric;
    figure.about = about;
    figure.extent = extent;
    out->figure[out->figures++] = figure;
}

static void add_figures(const struct match *match, struct game_result *out)
{
    struct tally sum = {.games = 0};
    for (unsigned i = 0; i < CHOICES; i++)
        add_tally(&sum, &match->tally[i]);
    out->refused = sum.refused;
    out->unclaimed = sum.unclaimed;
    add_figure(out, figure_of(match, &sum), "win_rate", "all games", GAME_WHOLE);
    for (unsigned i = 0; i < match->players; i++) {
        const struct learned_adversary *who = learned_adversaries[i];
        if (!plays(match, i))
            continue;
        double design = mean(who->alike ? sum.promised : sum.claimed, sum.games);
        struct game_figure figure = {.wins = sum.wins[i], .trials = sum.games, .design = design, .alike = who->alike};
        add_figure(out, figure, who->metric, who->about, GAME_PART);
    }
    for (unsigned i = 0; match->worlds->choices > 1 && i < CHOICES; i++)
        add_figure(out, figure_of(match, &match->tally[i]), choices[i].metric, choices[i].name, GAME_PART);
}

/* ---- the whole ---- */

static int play_match(struct match *match, const struct trials *trials, struct game_result *out, uf_error *why)
{
    int status = name_target(match, out, why);
    if (status == UF_OK)
        status = trials_run(trials, play_one, match, why);
    if (status == UF_OK)
        add_figures(match, out);
    return status;
}

static int play_worlds(struct match *match, const struct corpus *corpus, struct game_result *out, uf_error *why)
{
    const struct game_request *request = match->request;
    const struct trials trials = {.count = request->trials,
                                  .threads = request->threads,
                                  .seed = request->seed,
                                  .progress = request->progress,
                                  .progress_arg = request->progress_arg};
    const struct worlds_request wanted = {
        .corpus = corpus,
        .choice = request->choice,
        .n = (size_t)request->members,
        .each = request->trials < MANY_GAMES ? 1 : SETS,
        .plan = {request->kind, request->fpr, request->share, REGIONS, LEVELS},
        .trials = trials,
    };
    struct worlds worlds;
    int status = worlds_open(&wanted, &worlds, why);
    if (status != UF_OK)
        return status;
    match->worlds = &worlds;
    status = play_match(match, &trials, out, why);
    worlds_free(&worlds);
    return status;
}

/* The stock of keys that adversaries choose from: given, or made up. */
static int play(struct match *match, struct game_result *out, uf_error *why)
{
    enum { SORTS_EACH = 4 };
    const struct game_request *request = match->request;
    const size_t n = SORTS_EACH * (size_t)request->members;
    struct corpus corpus;
    struct stream stream;
    *why = (uf_error){UF_OK, 0, ""};
    *out = (struct game_result){.figures = 0};
    if (request->corpus)
        return play_worlds(match, request->corpus, out, why);
    if (stream_open(&stream, request->seed, corpus_number))
        return refuse(why, UF_ERANDOM, "the system gave no randomness for a game");
    int status = corpus_make(n, n, &stream, &corpus, why);
    if (status != UF_OK)
        return status;
    status = play_worlds(match, &corpus, out, why);
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
