/* SPDX-License-Identifier: MIT */
/*
 * Five adversaries. Each has its own way to come to candidates; of those it names the first new one in which it
 * believes: one that its copy of the filter accepts, where it has a copy, or else any. So whoever gets hold of the key
 * wins with any of them but the first.
 *
 *   alike      no questions: a key of the sort that the filter was planned with, as it is. Every learned kind makes a
 *              promise about those.
 *   random     no questions: any key that is not in the set, as it is.
 *   one-shot   asks until it knows some positives, then asks for mutants of these, most of those whose mutants were
 *              accepted most often; names another mutant of the best one.
 *   chain      the same, but mutants that are accepted become parents, too.
 *   white box  has the model and the regions of the filter. Of some keys it takes the one that is nearest to the region
 *              with the highest rate, and changes it until it is there; then it goes on to mutants that stay there.
 */
#include "learned_adversary.h"

#include <string.h>

enum { MOST_CANDIDATES = 20000, MOST_PARENTS = 64, MUTANTS = 64, PICKED_FROM = 16 };

static int believes(const struct learned_challenge *challenge, const struct text *text)
{
    return !challenge->copy || uf_query(challenge->copy, text_key(text));
}

/* Names the first candidate that is new and believed in, or else the last new one. `next` returns 0 for none. */
static int settle(struct learned_challenge *challenge,
                  int (*next)(struct learned_challenge *challenge, void *state, struct text *out), void *state,
                  struct text *out)
{
    int named = 0;
    for (unsigned i = 0; i < MOST_CANDIDATES; i++) {
        struct text text;
        if (!next(challenge, state, &text) || !oracle_is_new(&challenge->oracle, &text))
            continue;
        *out = text;
        named = 1;
        if (believes(challenge, &text))
            break;
    }
    return named;
}

/* ---- random ---- */

static int next_random(struct learned_challenge *challenge, void *state, struct text *out)
{
    (void)state;
    return oracle_draw(&challenge->oracle, out);
}

static int answer_random(struct learned_challenge *challenge, struct text *out)
{
    return settle(challenge, next_random, NULL, out);
}

static const struct learned_adversary random_adversary = {"win_rate_random", "random", 0, answer_random};

/* Whatever its copy says: the promise is about keys that nobody chose. */
static int answer_alike(struct learned_challenge *challenge, struct text *out)
{
    for (unsigned i = 0; i < MOST_CANDIDATES; i++)
        if (oracle_draw_like(&challenge->oracle, out) && oracle_is_new(&challenge->oracle, out))
            return 1;
    return 0;
}

static const struct learned_adversary alike_adversary = {"win_rate_alike", "like the negatives", 1, answer_alike};

/* ---- mutants ---- */

enum breeding { ONE_SHOT, CHAIN };

struct parent {
    struct text text;
    unsigned asked, hits; /* mutants */
};

struct parents {
    struct parent parent[MOST_PARENTS];
    size_t count;
    struct text last; /* what candidates are made of */
    unsigned made;
};

static double share_of(const struct parent *parent)
{
    return ((double)parent->hits + 1) / ((double)parent->asked + 2);
}

static struct parent *best_of(struct parents *parents)
{
    struct parent *best = parents->parent;
    for (size_t i = 1; i < parents->count; i++)
        if (share_of(&parents->parent[i]) > share_of(best))
            best = &parents->parent[i];
    return best;
}

static struct parent *worst_of(struct parents *parents)
{
    struct parent *worst = parents->parent;
    for (size_t i = 1; i < parents->count; i++)
        if (share_of(&parents->parent[i]) < share_of(worst))
            worst = &parents->parent[i];
    return worst;
}

/* Positives, true or false, with a quarter of the questions. */
static int find_parents(struct learned_challenge *challenge, struct parents *parents)
{
    uint64_t quarter = challenge->most / 4;
    while (parents->count < MOST_PARENTS && challenge->oracle.questions < quarter) {
        struct parent *parent = &parents->parent[parents->count];
        int found = oracle_find(&challenge->oracle, quarter - challenge->oracle.questions, &parent->text);
        if (found <= 0)
            return found;
        parents->count++;
    }
    return 1;
}

/* A new parent takes the place of the worst. */
static void adopt(struct parents *parents, const struct text *text)
{
    struct parent *place = parents->count < MOST_PARENTS ? &parents->parent[parents->count++] : worst_of(parents);
    *place = (struct parent){*text, 0, 0};
}

static int ask_mutants(struct learned_challenge *challenge, struct parents *parents, enum breeding breeding)
{
    uint64_t tries = 0;
    while (challenge->oracle.questions < challenge->most && tries++ < 2 * challenge->most) {
        struct parent *parent = best_of(parents);
        struct text mutant;
        int answer =
            oracle_mutate(&challenge->oracle, &parent->text, &mutant) ? oracle_ask(&challenge->oracle, &mutant) : 0;
        if (answer < 0)
            return answer;
        parent->asked++;
        parent->hits += (unsigned)answer;
        if (answer && breeding == CHAIN)
            adopt(parents, &mutant);
    }
    return 1;
}

/* Mutants of the best parent; after some of them, mutants of a mutant, since there are not so many of one text. */
static int next_mutant(struct learned_challenge *challenge, void *state, struct text *out)
{
    struct parents *parents = state;
    if (!parents->made)
        parents->last = best_of(parents)->text;
    if (!oracle_mutate(&challenge->oracle, &parents->last, out))
        return 0;
    if (++parents->made % MUTANTS == 0)
        parents->last = *out;
    return 1;
}

static int answer_mutants(struct learned_challenge *challenge, enum breeding breeding, struct text *out)
{
    struct parents parents = {.count = 0};
    int status = find_parents(challenge, &parents);
    if (status < 0)
        return status;
    if (!parents.count) /* no questions: any member is a positive */
        parents.count = (size_t)text_take(challenge->oracle.corpus->members.keys[0], &parents.parent[0].text);
    if (!parents.count)
        return 0;
    status = ask_mutants(challenge, &parents, breeding);
    return status < 0 ? status : settle(challenge, next_mutant, &parents, out);
}

static int answer_one_shot(struct learned_challenge *challenge, struct text *out)
{
    return answer_mutants(challenge, ONE_SHOT, out);
}

static int answer_chain(struct learned_challenge *challenge, struct text *out)
{
    return answer_mutants(challenge, CHAIN, out);
}

static const struct learned_adversary one_shot_adversary = {"win_rate_one_shot", "mutants, one-shot", 0,
                                                            answer_one_shot};
static const struct learned_adversary chain_adversary = {"win_rate_chain", "mutants, chain", 0, answer_chain};

/* ---- white box ---- */

static double rate_of(const struct learned_challenge *challenge, const struct text *text)
{
    return learned_value(challenge->oracle.target, text).rate;
}

/* The crafted text itself, then what differs from it in one character and comes to the same region. */
struct crafted {
    struct text text;
    int shown;
};

static int next_crafted(struct learned_challenge *challenge, void *state, struct text *out)
{
    struct crafted *crafted = state;
    if (!crafted->shown++) {
        *out = crafted->text;
        return 1;
    }
    return oracle_mutate(&challenge->oracle, &crafted->text, out) &&
           rate_of(challenge, out) >= rate_of(challenge, &crafted->text);
}

/* Of some keys the one that the target is weakest at. 0: none of them can be named. */
static int pick(struct learned_challenge *challenge, struct text *out)
{
    struct text_value most = {-1, INT32_MIN};
    for (unsigned i = 0; i < PICKED_FROM; i++) {
        struct text text;
        if (!oracle_draw(&challenge->oracle, &text) || !oracle_is_new(&challenge->oracle, &text))
            continue;
        struct text_value now = learned_value(challenge->oracle.target, &text);
        if (now.rate > most.rate || (now.rate >= most.rate && now.score > most.score)) {
            most = now;
            *out = text;
        }
    }
    return most.rate >= 0;
}

static int answer_white_box(struct learned_challenge *challenge, struct text *out)
{
    struct crafted crafted = {.shown = 0};
    if (!pick(challenge, &crafted.text))
        return 0;
    if (rate_of(challenge, &crafted.text) < challenge->oracle.target->weakest &&
        !oracle_craft(&challenge->oracle, &crafted.text))
        return 0;
    return settle(challenge, next_crafted, &crafted, out);
}

static const struct learned_adversary white_box_adversary = {"win_rate_white_box", "white box", 0, answer_white_box};

const struct learned_adversary *const learned_adversaries[LEARNED_ADVERSARIES] = {
    &alike_adversary, &random_adversary, &one_shot_adversary, &chain_adversary, &white_box_adversary};
