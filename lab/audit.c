/* SPDX-License-Identifier: MIT */
/*
 * 20,000 filters of each world show 0.97 of an epsilon of 1: rates 0.731 and 0.269, whose ends are 0.725 and 0.275.
 */
#include "audit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

/* ---- two worlds ---- */

void audit_compare(struct audit_worlds *worlds, double confidence)
{
    worlds->with_rate = interval_exact(worlds->with, worlds->trials, confidence);
    worlds->without_rate = interval_exact(worlds->without, worlds->trials, confidence);
    worlds->accepted = log_ratio(worlds->with_rate.low, worlds->without_rate.high);
    worlds->rejected = log_ratio(1 - worlds->without_rate.high, 1 - worlds->with_rate.low);
    worlds->epsilon = fmax(worlds->accepted, worlds->rejected);
}

struct worlds {
    const struct audit *audit;
    const struct numbered *keys; /* base and x */
    uint64_t accepted[2];        /* without and with x; atomic */
};

/* Trials take turns between the worlds. */
static int one_world(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    struct worlds *worlds = arg;
    size_t base = worlds->audit->base, with = number % 2;
    struct outcome outcome;
    uint8_t answer = 0;
    int status = subject_make(worlds->audit->subject, worlds->keys->keys, base + with, ctx, &outcome, why);
    if (status == UF_OK)
        status = outcome_ask(&outcome, &worlds->keys->keys[base], 1, &answer, why);
    outcome_free(&outcome);
    if (status == UF_OK)
        __atomic_fetch_add(&worlds->accepted[with], answer, __ATOMIC_RELAXED);
    return status;
}

int audit_two_worlds(const struct audit *audit, struct audit_worlds *out, uf_error *why)
{
    struct numbered keys;
    struct worlds worlds = {.audit = audit, .keys = &keys};
    struct trials both = audit->trials;
    both.count *= 2;
    if (numbered_make(audit->base + 1, &keys) != UF_OK)
        return fail(why, UF_ENOMEM);
    int status = trials_run(&both, one_world, &worlds, why);
    numbered_free(&keys);
    if (status != UF_OK)
        return status;
    *out =
        (struct audit_worlds){.trials = audit->trials.count, .with = worlds.accepted[1], .without = worlds.accepted[0]};
    audit_compare(out, audit->confidence);
    return UF_OK;
}

/* ---- one run ---- */

static double logit(double share)
{
    return log_ratio(share, 1 - share);
}

double audit_guesses(uint64_t right, uint64_t canaries, double confidence)
{
    return logit(interval_lower(right, canaries, confidence));
}

/* The canaries of the set go behind the base keys in `set`; in[i] says which they are. Returns how many keys that is.
 */
static size_t toss(const struct audit *audit, const struct numbered *keys, struct stream *stream, uf_key *set,
                   uint8_t *in)
{
    size_t count = audit->base;
    for (size_t i = 0; i < audit->base; i++)
        set[i] = keys->keys[i];
    for (size_t i = 0; i < audit->canaries; i++) {
        in[i] = (uint8_t)(stream_next(stream) >> 63);
        if (in[i])
            set[count++] = keys->keys[audit->base + i];
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

static int guess(const struct audit *audit, const struct outcome *outcome, const struct numbered *keys,
                 const uint8_t *in, uint8_t *answer, uint64_t *right, uf_error *why)
{
    int status = outcome_ask(outcome, keys->keys + audit->base, audit->canaries, answer, why);
    for (size_t i = 0; i < audit->canaries && status == UF_OK; i++)
        *right += answer[i] == in[i];
    return status;
}

/* The coins are stream 0, the filter's randomness is stream 1. */
static int run_once(const struct audit *audit, const struct numbered *keys, uf_key *set, uint8_t *in, uint8_t *answer,
                    struct audit_run *out, uf_error *why)
{
    struct stream coins, noise;
    uf_context ctx;
    struct outcome outcome = {0};
    if (stream_open(&coins, audit->trials.seed, 0) || trials_context(&audit->trials, 1, &noise, &ctx) != UF_OK)
        return fail(why, UF_ERANDOM);
    ctx.threads = audit->trials.threads;
    ctx.progress = audit->trials.progress;
    ctx.progress_arg = audit->trials.progress_arg;
    size_t count = toss(audit, keys, &coins, set, in);
    int status = subject_make(audit->subject, set, count, &ctx, &outcome, why);
    if (status == UF_OK)
        status = guess(audit, &outcome, keys, in, answer, &out->right, why);
    if (status == UF_OK)
        out->most = most_of(&outcome, count);
    outcome_free(&outcome);
    return status;
}

int audit_one_run(const struct audit *audit, struct audit_run *out, uf_error *why)
{
    struct audit_run result = {.canaries = audit->canaries};
    struct numbered keys = {0};
    uf_key *set = calloc(audit->base + audit->canaries, sizeof *set);
    uint8_t *in = calloc(audit->canaries, 1), *answer = calloc(audit->canaries, 1);
    int status = set && in && answer ? numbered_make(audit->base + audit->canaries, &keys) : UF_ENOMEM;
    status = status == UF_OK ? run_once(audit, &keys, set, in, answer, &result, why) : fail(why, status);
    numbered_free(&keys);
    free(answer);
    free(in);
    free(set);
    if (status != UF_OK)
        return status;
    result.rate = (struct interval){interval_lower(result.right, result.canaries, audit->confidence), 1};
    result.epsilon = audit_guesses(result.right, result.canaries, audit->confidence);
    *out = result;
    return UF_OK;
}

/* ---- claims ---- */

int audit_claim(const struct subject *subject, double *epsilon, uf_error *why)
{
    uf_filter *empty = NULL;
    uf_claim claim;
    int status = uf_build(&subject->spec, NULL, 0, NULL, &empty, why);
    if (status != UF_OK)
        return status;
    uf_get_claim(empty, &claim, sizeof claim);
    uf_free(empty);
    *epsilon = claim.epsilon;
    return UF_OK;
}
