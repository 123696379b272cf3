/* SPDX-License-Identifier: MIT */
/*
 * A candidate's score is what it would show of epsilon on the runs it is chosen on, with ends of Wilson's intervals at
 * three standard deviations: closed forms, since there are a million candidates. The bound that is reported comes from
 * other runs and exact intervals (audit.c).
 */
#include "events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BEST = 16, /* of one world, for conjunctions */
    CANDIDATES = BEST + 3,
    KEPT = EVENTS_MOST / 2, /* of one world */
    BLOCK = 64              /* bytes at a time */
};

/* ---- one event ---- */

static int term_holds(const struct event_term *term, int64_t value)
{
    switch (term->test) {
    case EVENT_IS:
        return value == term->value;
    case EVENT_IS_NOT:
        return value != term->value;
    case EVENT_AT_LEAST:
        return value >= term->value;
    case EVENT_BELOW:
        return value < term->value;
    case EVENT_BIT_SET:
        return (int)(value >> term->value & 1);
    default:
        return !(value >> term->value & 1);
    }
}

int event_happened(const struct event *event, const struct features *features)
{
    for (unsigned i = 0; i < event->terms; i++)
        if (!term_holds(&event->term[i], feature_value(features, event->term[i].feature)))
            return 0;
    return 1;
}

/* Features of two values read better as sentences of their own. */
static const char *plain_words(const struct event_term *term)
{
    int yes = (term->test == EVENT_IS && term->value == 1) || (term->test == EVENT_IS_NOT && term->value != 1) ||
              (term->test == EVENT_AT_LEAST && term->value == 1);
    if (term->feature == FEATURE_EXISTS)
        return yes ? "there is a file" : "there is no file";
    if (term->feature == FEATURE_ANSWER)
        return yes ? "x is accepted" : "x is not accepted";
    return NULL;
}

static void term_text(const struct event_term *term, char *out, size_t capacity)
{
    static const char *const words[] = {
        [EVENT_IS] = "is", [EVENT_IS_NOT] = "is not", [EVENT_AT_LEAST] = "is at least", [EVENT_BELOW] = "is below"};
    char name[64];
    feature_name(term->feature, name, sizeof name);
    if (plain_words(term))
        (void)snprintf(out, capacity, "%s", plain_words(term));
    else if (term->test >= EVENT_BIT_SET)
        (void)snprintf(out, capacity, "bit %d of %s is %s", (int)term->value, name,
                       term->test == EVENT_BIT_SET ? "set" : "clear");
    else if (feature_is_hash(term->feature))
        (void)snprintf(out, capacity, "%s %s %016llx", name, words[term->test], (unsigned long long)term->value);
    else
        (void)snprintf(out, capacity, "%s %s %lld", name, words[term->test], (long long)term->value);
}

void event_text(const struct event *event, char *out, size_t capacity)
{
    size_t at = 0;
    if (capacity)
        out[0] = 0;
    for (unsigned i = 0; i < event->terms; i++) {
        char term[128];
        term_text(&event->term[i], term, sizeof term);
        int more = snprintf(out + at, capacity - at, "%s%s", i ? " and " : "", term);
        at = more < 0 || at + (size_t)more >= capacity ? capacity - 1 : at + (size_t)more;
    }
}

/* ---- scores ---- */

#define SIGMAS 3.0

/* The end of Wilson's interval, on the side that `sign` says. */
static double wilson(double hits, double runs, double sign)
{
    double z2 = SIGMAS * SIGMAS / runs, p = hits / runs;
    return (p + z2 / 2 + sign * SIGMAS * sqrt((p * (1 - p) + z2 / 4) / runs)) / (1 + z2);
}

struct choice {
    const struct features *rows;
    size_t runs;
    double delta;
    struct event best[FEATURES][2]; /* by the world in which it is likelier */
    double score[FEATURES][2];
};

static double score_of(const struct choice *choice, uint64_t more, uint64_t less)
{
    double runs = (double)choice->runs, low = wilson((double)more, runs, -1) - choice->delta;
    return low > 0 ? log(low / wilson((double)less, runs, 1)) : -INFINITY;
}

/* `hits` is how often the term holds in each world. */
static void consider(struct choice *choice, struct event_term term, const uint64_t hits[2])
{
    for (unsigned likelier = 0; likelier < 2; likelier++) {
        if (hits[likelier] <= hits[!likelier])
            continue;
        double score = score_of(choice, hits[likelier], hits[!likelier]);
        if (score > choice->score[term.feature][likelier]) {
            choice->score[term.feature][likelier] = score;
            choice->best[term.feature][likelier] = (struct event){{term}, 1, likelier};
        }
    }
}

/* A term and its opposite: IS and IS_NOT, AT_LEAST and BELOW, BIT_SET and BIT_CLEAR. */
static void consider_both(struct choice *choice, unsigned feature, enum event_test test, int64_t value,
                          const uint64_t hits[2])
{
    const uint64_t misses[2] = {choice->runs - hits[0], choice->runs - hits[1]};
    consider(choice, (struct event_term){feature, test, value}, hits);
    consider(choice, (struct event_term){feature, test + 1, value}, misses);
}

/* ---- bytes ---- */

struct histogram {
    uint32_t count[2][256];
};

static void consider_byte(struct choice *choice, unsigned feature, const struct histogram *histogram)
{
    uint64_t above[2] = {choice->runs, choice->runs}, bit[8][2] = {{0}};
    for (int value = 0; value < 256; value++) {
        const uint64_t here[2] = {histogram->count[0][value], histogram->count[1][value]};
        if (!here[0] && !here[1])
            continue;
        consider_both(choice, feature, EVENT_IS, value, here);
        consider_both(choice, feature, EVENT_AT_LEAST, value, above);
        for (unsigned world = 0; world < 2; world++) {
            above[world] -= here[world];
            for (unsigned j = 0; j < 8; j++)
                bit[j][world] += value >> j & 1 ? here[world] : 0;
        }
    }
    for (unsigned j = 0; j < 8; j++)
        consider_both(choice, feature, EVENT_BIT_SET, j, bit[j]);
}

static void consider_bytes(struct choice *choice, struct histogram histogram[BLOCK])
{
    for (unsigned from = 0; from < FEATURE_HEAD + FEATURE_BODY; from += BLOCK) {
        memset(histogram, 0, BLOCK * sizeof *histogram);
        for (size_t row = 0; row < 2 * choice->runs; row++)
            for (unsigned i = 0; i < BLOCK; i++)
                histogram[i].count[row % 2][choice->rows[row].byte[from + i]]++;
        for (unsigned i = 0; i < BLOCK; i++)
            if (histogram[i].count[0][choice->rows[0].byte[from + i]] < choice->runs ||
                histogram[i].count[1][choice->rows[0].byte[from + i]] < choice->runs)
                consider_byte(choice, FEATURE_COUNTS + from + i, &histogram[i]);
    }
}

/* ---- counts ---- */

struct valued {
    int64_t value;
    unsigned world;
};

static int by_value(const void *a, const void *b)
{
    int64_t one = ((const struct valued *)a)->value, other = ((const struct valued *)b)->value;
    return (one > other) - (one < other);
}

static void consider_count(struct choice *choice, unsigned feature, struct valued *all)
{
    size_t rows = 2 * choice->runs;
    uint64_t above[2] = {choice->runs, choice->runs};
    for (size_t row = 0; row < rows; row++)
        all[row] = (struct valued){choice->rows[row].count[feature], row % 2};
    qsort(all, rows, sizeof *all, by_value);
    for (size_t from = 0, to; from < rows; from = to) {
        uint64_t here[2] = {0, 0};
        for (to = from; to < rows && all[to].value == all[from].value; to++)
            here[all[to].world]++;
        consider_both(choice, feature, EVENT_IS, all[from].value, here);
        if (!feature_is_hash(feature))
            consider_both(choice, feature, EVENT_AT_LEAST, all[from].value, above);
        above[0] -= here[0];
        above[1] -= here[1];
    }
}

/* ---- conjunctions ---- */

/* What an event did on the runs that it is chosen on: one byte a row. */
struct candidate {
    struct event event;
    double score;
    unsigned char *happened;
};

struct candidates {
    struct candidate list[CANDIDATES]; /* the last three: the best pair, the best triple, the answer to x */
    unsigned count;
};

static void replay(const struct choice *choice, struct candidate *candidate)
{
    for (size_t row = 0; row < 2 * choice->runs; row++)
        candidate->happened[row] = (unsigned char)event_happened(&candidate->event, &choice->rows[row]);
}

static double score_of_both(const struct choice *choice, const struct candidate *a, const struct candidate *b)
{
    uint64_t hits[2] = {0, 0};
    for (size_t row = 0; row < 2 * choice->runs; row++)
        hits[row % 2] += a->happened[row] & b->happened[row];
    return score_of(choice, hits[a->event.likelier], hits[!a->event.likelier]);
}

/* The BEST single events of a world that show anything, best first. */
static void take_singles(struct choice *choice, unsigned likelier, struct candidates *out)
{
    for (out->count = 0; out->count < BEST; out->count++) {
        unsigned top = 0;
        for (unsigned i = 1; i < FEATURES; i++)
            if (choice->score[i][likelier] > choice->score[top][likelier])
                top = i;
        if (choice->score[top][likelier] <= 0)
            return;
        out->list[out->count].event = choice->best[top][likelier];
        out->list[out->count].score = choice->score[top][likelier];
        replay(choice, &out->list[out->count]);
        choice->score[top][likelier] = -INFINITY;
    }
}

/* What one more term of thousands may seem to add by chance. */
static double gain_of_luck(const struct choice *choice)
{
    return 2 / sqrt((double)choice->runs);
}

/* `base` and the one of the first `singles` that improves it most, if one does. */
static int extend(const struct choice *choice, struct candidates *all, unsigned base, unsigned singles)
{
    struct candidate *next = &all->list[all->count];
    unsigned with = singles;
    next->score = all->list[base].score + gain_of_luck(choice);
    for (unsigned i = 0; i < singles; i++) {
        double score = score_of_both(choice, &all->list[base], &all->list[i]);
        if (score > next->score) {
            next->score = score;
            with = i;
        }
    }
    if (with == singles)
        return 0;
    next->event = all->list[base].event;
    next->event.term[next->event.terms++] = all->list[with].event.term[0];
    replay(choice, next);
    all->count++;
    return 1;
}

/* The best pair of any two, and the best third to it. */
static void conjoin(const struct choice *choice, struct candidates *all)
{
    unsigned singles = all->count, base = singles;
    double best = -INFINITY;
    for (unsigned i = 0; i < singles; i++)
        for (unsigned j = i + 1; j < singles; j++) {
            double score = score_of_both(choice, &all->list[i], &all->list[j]);
            if (score > best) {
                best = score;
                base = i;
            }
        }
    if (base < singles && extend(choice, all, base, singles))
        (void)extend(choice, all, singles, singles);
}

/* ---- which to count ---- */

static int same_runs(const struct choice *choice, const struct candidate *a, const struct candidate *b)
{
    return !memcmp(a->happened, b->happened, 2 * choice->runs);
}

/* The KEPT best that are not the same event in other words. */
static unsigned keep_best(const struct choice *choice, const struct candidates *all, struct event *out)
{
    unsigned kept[KEPT], count = 0;
    unsigned char used[CANDIDATES] = {0};
    while (count < KEPT) {
        unsigned top = all->count;
        for (unsigned i = 0; i < all->count; i++)
            if (!used[i] && (top == all->count || all->list[i].score > all->list[top].score))
                top = i;
        if (top == all->count)
            break;
        used[top] = 1;
        unsigned known = 0;
        for (unsigned i = 0; i < count; i++)
            known |= (unsigned)same_runs(choice, &all->list[top], &all->list[kept[i]]);
        if (known)
            continue;
        kept[count] = top;
        out[count++] = all->list[top].event;
    }
    return count;
}

static int can_be_asked(const struct choice *choice)
{
    for (size_t row = 0; row < 2 * choice->runs; row++)
        if (choice->rows[row].count[FEATURE_ANSWER] >= 0)
            return 1;
    return 0;
}

/* Before all others, whatever it shows. */
static void add_answer(const struct choice *choice, unsigned likelier, struct candidates *all)
{
    struct candidate *answer = &all->list[all->count];
    if (!can_be_asked(choice))
        return;
    answer->event = (struct event){{{FEATURE_ANSWER, EVENT_IS, (int64_t)likelier}}, 1, likelier};
    answer->score = INFINITY;
    replay(choice, answer);
    all->count++;
}

static unsigned choose_for(struct choice *choice, unsigned likelier, struct candidates *all, struct event *out)
{
    take_singles(choice, likelier, all);
    conjoin(choice, all);
    add_answer(choice, likelier, all);
    return keep_best(choice, all, out);
}

static void consider_all(struct choice *choice, struct histogram *histogram, struct valued *all)
{
    for (unsigned i = 0; i < FEATURES; i++)
        choice->score[i][0] = choice->score[i][1] = -INFINITY;
    for (unsigned i = 0; i < FEATURE_COUNTS; i++)
        consider_count(choice, i, all);
    consider_bytes(choice, histogram);
}

int events_choose(const struct features *rows, size_t runs, double delta, struct event *out)
{
    struct choice *choice = calloc(1, sizeof *choice);
    struct histogram *histogram = calloc(BLOCK, sizeof *histogram);
    struct valued *all = calloc(2 * runs + 1, sizeof *all);
    unsigned char *happened = calloc(2 * runs + 1, CANDIDATES);
    struct candidates candidates;
    int count = -1;
    if (choice && histogram && all && happened) {
        choice->rows = rows;
        choice->runs = runs;
        choice->delta = delta;
        for (unsigned i = 0; i < CANDIDATES; i++)
            candidates.list[i].happened = happened + i * 2 * runs;
        consider_all(choice, histogram, all);
        count = (int)choose_for(choice, 1, &candidates, out);
        count += (int)choose_for(choice, 0, &candidates, out + count);
    }
    free(happened);
    free(all);
    free(histogram);
    free(choice);
    return count;
}
