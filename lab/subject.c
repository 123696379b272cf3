/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>

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

int subject_make(const struct subject *subject, const uf_key *keys, size_t count, const uf_context *ctx,
                 struct outcome *out, uf_error *why)
{
    *out = (struct outcome){0};
    if (subject->release)
        return release(subject, keys, count, ctx, &out->set, why);
    return uf_build(&subject->spec, keys, count, ctx, &out->filter, why);
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
