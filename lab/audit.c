/* SPDX-License-Identifier: MIT */
/*
 * 20,000 filters of each world show 0.95 of an epsilon of 1: 16,000 are counted, with rates 0.731 and 0.269, whose ends
 * are 0.721 and 0.279 with 8 events.
 */
#include "audit.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "refuse.h"

static int fail(uf_error *why, int status)
{
    (void)snprintf(why->text, sizeof why->text, "%s", uf_status_text(status));
    return status;
}

/* A bound below nothing says nothing. */
static double log_ratio(double low, double high)
{
    return low > high ? log(low / high) : 0;
}

static double logit(double share)
{
    return log_ratio(share, 1 - share);
}

/* ---- statistics ---- */

void audit_compare(struct audit_event *event, uint64_t trials, double each, double delta)
{
    unsigned likelier = event->event.likelier;
    for (unsigned world = 0; world < 2; world++)
        event->rate[world] = interval_exact(event->hits[world], trials, each);
    event->epsilon = log_ratio(event->rate[likelier].low - delta, event->rate[!likelier].high);
}

double audit_guesses(uint64_t right, uint64_t canaries, double confidence)
{
    return logit(interval_lower(right, canaries, confidence));
}

/* Bad luck, as it comes once in ten times: so few hits of a chance p, or so many. */
#define BAD_LUCK 1.2816

static uint64_t unlucky(uint64_t trials, double p, double sign)
{
    double n = (double)trials, hits = n * p + sign * BAD_LUCK * sqrt(n * p * (1 - p));
    return (uint64_t)fmin(n, fmax(0, sign < 0 ? floor(hits) : ceil(hits)));
}

/* What unlucky runs of randomized response with this epsilon show. */
static double shown(uint64_t trials, double each, double delta, double epsilon)
{
    double p = 1 / (1 + exp(-epsilon));
    struct audit_event event = {.event = {.likelier = 1}};
    event.hits[1] = unlucky(trials, p, -1);
    event.hits[0] = unlucky(trials, 1 - p, 1);
    audit_compare(&event, trials, each, delta);
    return event.epsilon;
}

static double shown_once(uint64_t canaries, double confidence, double delta, double epsilon)
{
    (void)delta;
    return audit_guesses(unlucky(canaries, 1 / (1 + exp(-epsilon)), -1), canaries, confidence);
}

#define MOST_EPSILON 50.0 /* e^50 is beyond any number of trials */

/* The least epsilon of which more is shown than is claimed. */
static double first_shown(double (*show)(uint64_t, double, double, double), uint64_t trials, double each,
                          struct audit_claim claim)
{
    double low = claim.epsilon, high = MOST_EPSILON;
    if (!(show(trials, each, claim.delta, high) > claim.epsilon))
        return INFINITY;
    while (high - low > 1e-3) {
        double middle = (low + high) / 2;
        if (show(trials, each, claim.delta, middle) > claim.epsilon)
            high = middle;
        else
            low = middle;
    }
    return high;
}

double audit_noticed(uint64_t trials, double each, struct audit_claim claim)
{
    return first_shown(shown, trials, each, claim);
}

double audit_noticed_once(uint64_t canaries, double confidence, double claim)
{
    return first_shown(shown_once, canaries, confidence, (struct audit_claim){claim, 0});
}

enum audit_verdict audit_verdict(double epsilon, double claim, double noticed)
{
    if (epsilon > claim)
        return AUDIT_VIOLATED;
    return noticed <= 2 * claim ? AUDIT_CONSISTENT : AUDIT_NO_POWER;
}

/* ---- two worlds ---- */

enum { MOST_TO_CHOOSE_ON = 4000 };

struct worlds {
    const struct audit *audit;
    struct features *rows; /* of the runs to choose on; NULL afterwards */
    uint64_t made;         /* files that there were, while choosing; atomic */
    struct audit_worlds *result;
    struct audit_claim claim; /* of a file, under the lock */
    pthread_mutex_t lock;
    int refused; /* why there is no file, of some run; under the lock */
    uf_error why;
};

/* What the files of a command say of themselves; all the same, or it is seen in their headers. */
static void read_claim(struct worlds *worlds, const struct observation *seen)
{
    uf_filter *filter;
    uf_claim claim;
    if (!seen->exists || uf_load_bytes(seen->file.data, seen->file.size, UF_WITHOUT_KEY, NULL, &filter, NULL) != UF_OK)
        return;
    uf_get_claim(filter, &claim, sizeof claim);
    uf_free(filter);
    worlds->claim = (struct audit_claim){claim.epsilon, claim.delta};
}

static void remember(struct worlds *worlds, const struct observation *seen, const uf_error *why)
{
    pthread_mutex_lock(&worlds->lock);
    if (!seen->exists && !worlds->refused) {
        worlds->refused = seen->status ? seen->status : UF_EIO;
        worlds->why = *why;
    }
    if (worlds->audit->subject->command && isnan(worlds->claim.epsilon))
        read_claim(worlds, seen);
    worlds->made += (uint64_t)seen->exists;
    pthread_mutex_unlock(&worlds->lock);
}

static void count_events(struct worlds *worlds, unsigned world, const struct features *features)
{
    for (unsigned i = 0; i < worlds->result->events; i++)
        if (event_happened(&worlds->result->event[i].event, features))
            __atomic_fetch_add(&worlds->result->event[i].hits[world], 1, __ATOMIC_RELAXED);
}

/* Trials take turns between the worlds. */
static int one_world(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    struct worlds *worlds = arg;
    const struct audit *audit = worlds->audit;
    const unsigned with = number % 2;
    struct observation seen;
    struct features features;
    int status =
        subject_observe(audit->subject, audit->keys, audit->base + with, audit->keys[audit->base], ctx, &seen, why);
    if (status == UF_OK && worlds->rows) {
        features_of(&seen, &worlds->rows[number]);
        remember(worlds, &seen, why);
    } else if (status == UF_OK) {
        features_of(&seen, &features);
        count_events(worlds, with, &features);
    }
    observation_free(&seen);
    return status;
}

/* Half of the runs, and never more than are of use. */
static uint64_t to_choose_on(uint64_t trials)
{
    return trials / 2 < MOST_TO_CHOOSE_ON ? trials / 2 : MOST_TO_CHOOSE_ON;
}

static int decide_claim(struct worlds *worlds, uf_error *why)
{
    struct audit_claim *claim = &worlds->result->claim;
    *claim = worlds->audit->claim;
    if (isnan(claim->epsilon))
        *claim = worlds->claim;
    return isnan(claim->epsilon)
               ? refuse(why, UF_EINVAL,
                        "its files claim no epsilon that could be checked; say which one to hold them against: "
                        "--epsilon 1")
               : UF_OK;
}

static int choose(struct worlds *worlds, uf_error *why)
{
    struct audit_worlds *result = worlds->result;
    struct trials first = worlds->audit->trials;
    struct event events[EVENTS_MOST];
    first.count = 2 * result->chosen_on;
    worlds->rows = calloc((size_t)first.count + 1, sizeof *worlds->rows);
    if (!worlds->rows)
        return fail(why, UF_ENOMEM);
    int status = trials_run(&first, one_world, worlds, why);
    if (status == UF_OK && !worlds->made) {
        *why = worlds->why;
        status = worlds->refused < 0 ? worlds->refused : UF_EIO;
    }
    if (status == UF_OK)
        status = decide_claim(worlds, why);
    if (status == UF_OK) {
        int count = events_choose(worlds->rows, (size_t)result->chosen_on, result->claim.delta, events);
        status = count < 0 ? fail(why, UF_ENOMEM) : UF_OK;
        result->events = count < 0 ? 0 : (unsigned)count;
    }
    for (unsigned i = 0; i < result->events; i++)
        result->event[i].event = events[i];
    free(worlds->rows);
    worlds->rows = NULL;
    return status;
}

static int count_rest(struct worlds *worlds, uf_error *why)
{
    struct trials rest = worlds->audit->trials;
    rest.first = 2 * worlds->result->chosen_on;
    rest.count = 2 * worlds->result->trials;
    return trials_run(&rest, one_world, worlds, why);
}

/* Each event has an equal share of what may go wrong. */
static void conclude(struct audit_worlds *result, double confidence)
{
    double each = 1 - (1 - confidence) / (result->events ? result->events : 1);
    for (unsigned i = 0; i < result->events; i++) {
        audit_compare(&result->event[i], result->trials, each, result->claim.delta);
        if (result->event[i].epsilon > result->event[result->best].epsilon)
            result->best = i;
    }
    struct audit_event sure = {.event = {.likelier = 1}, .hits = {0, result->trials}};
    audit_compare(&sure, result->trials, each, result->claim.delta);
    result->epsilon = result->events ? result->event[result->best].epsilon : 0;
    result->most = sure.epsilon;
    result->noticed = audit_noticed(result->trials, each, result->claim);
}

int audit_two_worlds(const struct audit *audit, struct audit_worlds *out, uf_error *why)
{
    struct audit_worlds result = {.chosen_on = to_choose_on(audit->trials.count)};
    struct worlds worlds = {.audit = audit, .result = &result, .claim = {NAN, 0}, .lock = PTHREAD_MUTEX_INITIALIZER};
    result.trials = audit->trials.count - result.chosen_on;
    int status = choose(&worlds, why);
    if (status == UF_OK)
        status = count_rest(&worlds, why);
    if (status != UF_OK)
        return status;
    conclude(&result, audit->confidence);
    *out = result;
    return UF_OK;
}

/* ---- one run ---- */

/* The canaries of the set go behind the base keys in `set`; in[i] says which they are. Returns how many keys that is.
 */
static size_t toss(const struct audit *audit, struct stream *stream, uf_key *set, uint8_t *in)
{
    size_t count = audit->base;
    for (size_t i = 0; i < audit->base; i++)
        set[i] = audit->keys[i];
    for (size_t i = 0; i < audit->canaries; i++) {
        in[i] = (uint8_t)(stream_next(stream) >> 63);
        if (in[i])
            set[count++] = audit->keys[audit->base + i];
    }
    return count;
}

/* Guesses by a filter's own rates are right in this share, when it holds `count` keys; of a released set, in all that
 * the mechanism allows. The rates are those of a twin whose capacity is that number. */
static double most_of(const struct outcome *outcome, size_t count)
{
    char number[24];
    uf_spec plan;
    uf_filter *twin = NULL;
    uf_claim claim;
    if (!outcome->filter)
        return NAN;
    uf_get_plan(outcome->filter, &plan);
    (void)snprintf(number, sizeof number, "%zu", count);
    if (uf_spec_set(&plan, "n", number, NULL) != UF_OK || uf_build(&plan, NULL, 0, NULL, &twin, NULL) != UF_OK)
        return NAN;
    uf_get_claim(twin, &claim, sizeof claim);
    uf_free(twin);
    return logit(1 - (claim.fpr + claim.fnr) / 2);
}

static int guess(const struct audit *audit, const struct outcome *outcome, const uint8_t *in, uint8_t *answer,
                 uint64_t *right, uf_error *why)
{
    int status = outcome_ask(outcome, audit->keys + audit->base, audit->canaries, answer, why);
    for (size_t i = 0; i < audit->canaries && status == UF_OK; i++)
        *right += answer[i] == in[i];
    return status;
}

/* The coins are stream 0, the filter's randomness is stream 1. */
static int run_once(const struct audit *audit, uf_key *set, uint8_t *in, uint8_t *answer, struct audit_run *out,
                    uf_error *why)
{
    struct stream coins, noise;
    uf_context ctx;
    struct outcome outcome = {0};
    if (stream_open(&coins, audit->trials.seed, 0) || trials_context(&audit->trials, 1, &noise, &ctx) != UF_OK)
        return fail(why, UF_ERANDOM);
    ctx.threads = audit->trials.threads;
    ctx.progress = audit->trials.progress;
    ctx.progress_arg = audit->trials.progress_arg;
    size_t count = toss(audit, &coins, set, in);
    int status = subject_make(audit->subject, set, count, &ctx, &outcome, why);
    if (status == UF_OK)
        status = guess(audit, &outcome, in, answer, &out->right, why);
    if (status == UF_OK)
        out->most = most_of(&outcome, count);
    outcome_free(&outcome);
    return status;
}

int audit_one_run(const struct audit *audit, struct audit_run *out, uf_error *why)
{
    struct audit_run result = {.canaries = audit->canaries};
    uf_key *set = calloc(audit->base + audit->canaries, sizeof *set);
    uint8_t *in = calloc(audit->canaries, 1), *answer = calloc(audit->canaries, 1);
    int status = set && in && answer ? run_once(audit, set, in, answer, &result, why) : fail(why, UF_ENOMEM);
    free(answer);
    free(in);
    free(set);
    if (status != UF_OK)
        return status;
    result.rate = (struct interval){interval_lower(result.right, result.canaries, audit->confidence), 1};
    result.epsilon = audit_guesses(result.right, result.canaries, audit->confidence);
    result.noticed = audit_noticed_once(result.canaries, audit->confidence, audit->claim.epsilon);
    *out = result;
    return UF_OK;
}

/* ---- claims ---- */

int audit_claim_of(const struct subject *subject, struct audit_claim *out, uf_error *why)
{
    struct outcome outcome;
    uf_claim claim;
    int status = subject_make(subject, NULL, 0, NULL, &outcome, why);
    if (status == UF_OK && outcome.filter) {
        uf_get_claim(outcome.filter, &claim, sizeof claim);
        *out = (struct audit_claim){claim.epsilon, claim.delta};
    } else if (status == UF_OK)
        *out = (struct audit_claim){NAN, 0};
    outcome_free(&outcome);
    return status;
}
