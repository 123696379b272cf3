/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>

#include "refuse.h"
#include "released_filter.h"
#include "shell.h"

int subject_parse(const char *text, struct subject *out, uf_error *why)
{
    uf_spec plan;
    *out = (struct subject){0};
    int status = uf_spec_parse(text, &out->spec, why);
    if (status == UF_OK && uf_plan(&out->spec, &plan, NULL) == UF_OK)
        out->spec = plan;
    return status;
}

static int release(const struct subject *subject, const uf_key *keys, size_t count, const uf_context *ctx, uf_set **out,
                   uf_error *why)
{
    uf_set *exact = NULL;
    int status = uf_set_new(subject->universe, ctx, &exact, why);
    if (status == UF_OK)
        status = uf_set_add(exact, keys, count, why);
    if (status == UF_OK)
        status = uf_set_release(exact, subject->release, ctx, out, why);
    uf_set_free(exact);
    return status;
}

static int has(const uf_spec *spec)
{
    return spec->text[0] != 0;
}

/* The universe of a released set lives longer than the filter of it. */
static int filter_of_release(const struct subject *subject, const uf_key *keys, size_t count, const uf_context *ctx,
                             uf_filter **out, uf_error *why)
{
    uf_set *set = NULL;
    uf_model *model = NULL;
    int status = release(subject, keys, count, ctx, &set, why);
    if (status == UF_OK)
        status = released_filter_make(&subject->spec, set, ctx, out, &model, why);
    uf_model_free(model);
    uf_set_free(set);
    return status;
}

static int copy_of_exact(const struct subject *subject, const uf_key *keys, size_t count, const uf_context *ctx,
                         uf_filter **out, uf_error *why)
{
    uf_filter *exact = NULL;
    int status = uf_build(&subject->exact, keys, count, ctx, &exact, why);
    if (status == UF_OK)
        status = uf_release(exact, &subject->spec, ctx, out, why);
    uf_free(exact);
    return status;
}

int subject_make(const struct subject *subject, const uf_key *keys, size_t count, const uf_context *ctx,
                 struct outcome *out, uf_error *why)
{
    *out = (struct outcome){0};
    if (subject->release && !has(&subject->spec))
        return release(subject, keys, count, ctx, &out->set, why);
    if (subject->release)
        return filter_of_release(subject, keys, count, ctx, &out->filter, why);
    if (has(&subject->exact))
        return copy_of_exact(subject, keys, count, ctx, &out->filter, why);
    return uf_build(&subject->spec, keys, count, ctx, &out->filter, why);
}

/* ---- what is seen ---- */

/* A set has no file of its own: it is seen as one bit for each key of the universe. */
struct bitmap {
    const uf_universe *universe;
    struct seen_bytes *bytes;
};

static int mark(void *arg, const uf_key *keys, size_t count)
{
    const struct bitmap *bitmap = arg;
    uint64_t rank;
    for (size_t i = 0; i < count; i++)
        if (uf_universe_rank(bitmap->universe, keys[i], &rank) == UF_OK)
            bitmap->bytes->data[rank / 8] |= (unsigned char)(1 << rank % 8);
    return 0;
}

static int observe_set(const struct subject *subject, const uf_set *set, uf_key x, struct observation *out,
                       uf_error *why)
{
    struct bitmap bitmap = {subject->universe, &out->file};
    size_t bytes = (size_t)(uf_universe_size(subject->universe) / 8) + 1;
    out->exists = 1;
    out->file = (struct seen_bytes){calloc(bytes, 1), bytes};
    if (!out->file.data)
        return refuse(why, UF_ENOMEM, "no memory for the bits of a set");
    out->answer = uf_set_has(set, x);
    return uf_set_each(set, mark, &bitmap, why);
}

/* What has nothing to do with the set. */
static int is_failure(int status)
{
    return status == UF_ENOMEM || status == UF_ERANDOM || status == UF_ECANCELED;
}

int subject_observe(const struct subject *subject, const uf_key *keys, size_t count, uf_key x, const uf_context *ctx,
                    struct observation *out, uf_error *why)
{
    struct outcome outcome;
    *out = observation_new();
    if (subject->command)
        return shell_observe(subject->command, keys, count, x, ctx, out, why);
    out->status = subject_make(subject, keys, count, ctx, &outcome, why);
    int status = is_failure(out->status) ? out->status : UF_OK;
    if (outcome.filter)
        status = observe_filter(outcome.filter, x, out, why);
    else if (outcome.set)
        status = observe_set(subject, outcome.set, x, out, why);
    outcome_free(&outcome);
    return status;
}

int outcome_ask(const struct outcome *outcome, const uf_key *keys, size_t count, uint8_t *answers, uf_error *why)
{
    if (outcome->filter) {
        uf_query_many(outcome->filter, keys, count, answers);
        return UF_OK;
    }
    for (size_t i = 0; i < count; i++) {
        int has = uf_set_has(outcome->set, keys[i]);
        if (has < 0) {
            (void)snprintf(why->text, sizeof why->text, "%s", uf_status_text(has));
            return has;
        }
        answers[i] = (uint8_t)has;
    }
    return UF_OK;
}

void outcome_free(struct outcome *outcome)
{
    uf_free(outcome->filter);
    uf_set_free(outcome->set);
}

int numbered_make(size_t count, struct numbered *out)
{
    *out = (struct numbered){count, calloc(count + 1, sizeof *out->keys), calloc(count + 1, sizeof *out->text)};
    if (!out->keys || !out->text) {
        numbered_free(out);
        return UF_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        int size = snprintf(out->text[i], sizeof out->text[i], "%zu", i + 1);
        out->keys[i] = (uf_key){out->text[i], (size_t)size};
    }
    return UF_OK;
}

void numbered_free(struct numbered *numbered)
{
    free(numbered->keys);
    free(numbered->text);
    *numbered = (struct numbered){0};
}
