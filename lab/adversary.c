/* SPDX-License-Identifier: MIT */
/*
 * Three adversaries. Each has its own way to come to candidates; of those it names the first new one in which it
 * believes: one that its copy of the filter accepts, or that has all its bits in the revealed array, as far as it can
 * compute them. So whoever gets hold of the key wins with any of them.
 *
 *   random    no questions: whatever its copy accepts.
 *   adaptive  the set is a run of numbers. Questions go to families of related items, then to the family that was
 *             accepted most often; the answer is the next item of the best family.
 *   mutating  the set is all neighbours, at one bit, of some centres. Questions look for a false positive, then for
 *             others next to it; the answer is two bits away from the one with the most accepted neighbours.
 */
#include "adversary.h"

#include <string.h>

enum { BATCH = 64, MOST_CANDIDATES = 20000, BITS = 8 * ITEM_BYTES };

size_t challenge_ask(struct challenge *challenge, const struct item *items, size_t count, uint8_t *answers)
{
    size_t left = challenge->most - challenge->asked_count, step = count < left ? count : left;
    target_query(challenge->target, items, step, answers);
    memcpy(challenge->asked + challenge->asked_count, items, step * sizeof *items);
    challenge->asked_count += step;
    return step;
}

static int is_among(const struct item *items, size_t count, const struct item *item)
{
    for (size_t i = 0; i < count; i++)
        if (!memcmp(&items[i], item, sizeof *item))
            return 1;
    return 0;
}

int challenge_is_new(const struct challenge *challenge, const struct item *item)
{
    return !is_among(challenge->set, challenge->n, item) && !is_among(challenge->asked, challenge->asked_count, item);
}

int challenge_believes(const struct challenge *challenge, const struct item *item)
{
    return challenge->copy ? (int)target_hits(challenge->copy, item, 1) : view_has(challenge->view, item);
}

/* Names the first candidate that is new and believed in, or else the last one. */
static void settle(struct challenge *challenge,
                   void (*next)(struct challenge *challenge, void *state, struct item *out), void *state,
                   struct item *out)
{
    for (unsigned i = 0; i < MOST_CANDIDATES; i++) {
        next(challenge, state, out);
        if (challenge_believes(challenge, out) && challenge_is_new(challenge, out))
            return;
    }
}

/* ---- random ---- */

static void choose_random(struct challenge *challenge)
{
    items_draw(&challenge->stream, challenge->set, challenge->n);
}

static void next_random(struct challenge *challenge, void *state, struct item *out)
{
    (void)state;
    items_draw(&challenge->stream, out, 1);
}

static void answer_random(struct challenge *challenge, struct item *out)
{
    settle(challenge, next_random, NULL, out);
}

static const struct adversary random_adversary = {"random", "win_rate_random", "random", choose_random, answer_random};

/* ---- adaptive ---- */

enum family {
    NEXT_NUMBERS, /* the run goes on */
    OTHER_PREFIX, /* the same numbers behind another word */
    HIGH_BITS,    /* the same numbers, with upper bits set */
    BACKWARDS,    /* the words change places */
    SPARSE,       /* two bytes that are not zero */
    HALVES,       /* the first half of something that was accepted */
    ANY,          /* at random */
    FAMILIES
};

struct families {
    uint64_t prefix, used[FAMILIES], asked[FAMILIES], hits[FAMILIES];
    struct item accepted[BATCH];
    size_t accepted_count;
    enum family best;
};

static uint64_t word_of(const struct item *item, unsigned at)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < 8; i++)
        word |= (uint64_t)item->bytes[at + i] << 8 * i;
    return word;
}

static void store_words(struct item *item, uint64_t first, uint64_t second)
{
    item_store(item, 0, first);
    item_store(item, 8, second);
}

static void choose_run(struct challenge *challenge)
{
    uint64_t prefix = stream_next(&challenge->stream);
    for (size_t i = 0; i < challenge->n; i++)
        store_words(&challenge->set[i], prefix, i);
}

/* The next item of a family: another one each time. */
static void next_of(struct challenge *challenge, struct families *families, enum family family, struct item *out)
{
    uint64_t i = families->used[family]++;
    switch (family) {
    case NEXT_NUMBERS:
        store_words(out, families->prefix, challenge->n + i);
        break;
    case OTHER_PREFIX:
        store_words(out, families->prefix + 1 + i / (challenge->n + 1), i % (challenge->n + 1));
        break;
    case HIGH_BITS:
        store_words(out, families->prefix, i | UINT64_C(1) << 63);
        break;
    case BACKWARDS:
        store_words(out, i, families->prefix);
        break;
    case SPARSE:
        store_words(out, (i / 255 + 1) << 8 * (i % 8), i % 255 + 1);
        break;
    case HALVES:
        store_words(out, families->accepted_count ? word_of(&families->accepted[i % families->accepted_count], 0) : i,
                    UINT64_C(1) << 62 | i);
        break;
    default:
        items_draw(&challenge->stream, out, 1);
    }
}

static void ask_family(struct challenge *challenge, struct families *families, enum family family)
{
    struct item items[BATCH];
    uint8_t answers[BATCH];
    for (unsigned i = 0; i < BATCH; i++)
        next_of(challenge, families, family, &items[i]);
    size_t answered = challenge_ask(challenge, items, BATCH, answers);
    for (size_t i = 0; i < answered; i++) {
        families->hits[family] += answers[i];
        if (answers[i] && families->accepted_count < BATCH)
            families->accepted[families->accepted_count++] = items[i];
    }
    families->asked[family] += answered;
}

/* The highest share of hits, drawn a little towards 1 % where few were asked. */
static enum family best_of(const struct families *families)
{
    enum family best = 0;
    double most = -1;
    for (unsigned family = 0; family < FAMILIES; family++) {
        double share = ((double)families->hits[family] + 1) / ((double)families->asked[family] + 100);
        if (share > most) {
            most = share;
            best = family;
        }
    }
    return best;
}

static void next_of_best(struct challenge *challenge, void *state, struct item *out)
{
    struct families *families = state;
    next_of(challenge, families, families->best, out);
}

static void answer_adaptive(struct challenge *challenge, struct item *out)
{
    struct families families = {.prefix = word_of(&challenge->set[0], 0)};
    for (unsigned family = 0; family < FAMILIES && 2 * challenge->asked_count < challenge->most; family++)
        ask_family(challenge, &families, family);
    while (challenge->asked_count < challenge->most)
        ask_family(challenge, &families, best_of(&families));
    families.best = best_of(&families);
    settle(challenge, next_of_best, &families, out);
}

static const struct adversary adaptive_adversary = {"adaptive", "win_rate_adaptive", "adaptive", choose_run,
                                                    answer_adaptive};

/* ---- mutating ---- */

static struct item flip(struct item item, unsigned bit)
{
    item.bytes[bit / 8 % ITEM_BYTES] ^= (unsigned char)(1u << bit % 8);
    return item;
}

static void choose_neighbours(struct challenge *challenge)
{
    struct item centre = {{0}};
    for (size_t i = 0; i < challenge->n; i++) {
        if (i % BITS == 0)
            items_draw(&challenge->stream, &centre, 1);
        challenge->set[i] = flip(centre, (unsigned)(i % BITS));
    }
}

/* What mutants are made of, and how it went. */
struct parent {
    struct item item;
    unsigned first, second; /* bits to change next */
};

/* Looks for something that is accepted and not in the set: centres first, then at random. 1 when there is one. */
static int find_parent(struct challenge *challenge, struct item *out)
{
    size_t centres = (challenge->n + BITS - 1) / BITS, at = 0;
    while (2 * challenge->asked_count < challenge->most) {
        struct item items[BATCH];
        uint8_t answers[BATCH];
        for (unsigned i = 0; i < BATCH; i++, at++) {
            items_draw(&challenge->stream, &items[i], 1);
            if (at < centres)
                items[i] = flip(challenge->set[at * BITS], 0);
        }
        size_t answered = challenge_ask(challenge, items, BATCH, answers);
        for (size_t i = 0; i < answered; i++)
            if (answers[i]) {
                *out = items[i];
                return 1;
            }
    }
    return 0;
}

/* Asks for all neighbours; moves to the first that is accepted, since what is next to two may be next to three. */
static void climb(struct challenge *challenge, struct item *item)
{
    for (int moved = 1; moved && challenge->asked_count < challenge->most;) {
        struct item mutants[BITS];
        uint8_t answers[BITS];
        for (unsigned bit = 0; bit < BITS; bit++)
            mutants[bit] = flip(*item, bit);
        size_t answered = challenge_ask(challenge, mutants, BITS, answers);
        moved = 0;
        for (size_t i = 0; i < answered && !moved; i++)
            if (answers[i]) {
                *item = mutants[i];
                moved = 1;
            }
    }
}

static void next_mutant(struct challenge *challenge, void *state, struct item *out)
{
    struct parent *parent = state;
    (void)challenge;
    *out = flip(flip(parent->item, parent->first), parent->second);
    if (++parent->second == BITS) {
        parent->first++;
        parent->second = parent->first + 1;
    }
    if (parent->first >= BITS - 1)
        *parent = (struct parent){flip(parent->item, (unsigned)(stream_next(&challenge->stream) % BITS)), 0, 1};
}

static void answer_mutating(struct challenge *challenge, struct item *out)
{
    struct parent parent = {.second = 1};
    parent.item = flip(challenge->set[0], 0);
    if (find_parent(challenge, &parent.item))
        climb(challenge, &parent.item);
    settle(challenge, next_mutant, &parent, out);
}

static const struct adversary mutating_adversary = {"mutating", "win_rate_mutating", "mutating", choose_neighbours,
                                                    answer_mutating};

const struct adversary *const adversaries[ADVERSARIES] = {&random_adversary, &adaptive_adversary, &mutating_adversary};
