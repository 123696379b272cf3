/* SPDX-License-Identifier: MIT */
#include "oracle.h"

enum { MOST_TRIES = 64, MOST_EDITS = 3 };

void oracle_close(struct oracle *oracle)
{
    key_set_free(&oracle->asked);
}

int oracle_is_new(const struct oracle *oracle, const struct text *text)
{
    return !key_set_has(&oracle->corpus->set, text_key(text)) && !key_set_has(&oracle->asked, text_key(text));
}

int oracle_ask(struct oracle *oracle, const struct text *text)
{
    if (key_set_add(&oracle->asked, text_key(text)) < 0)
        return UF_ENOMEM;
    oracle->questions++;
    return uf_query(oracle->target->filter, text_key(text));
}

static int draw_from(struct oracle *oracle, struct corpus_list list, struct text *out)
{
    return text_take(list.keys[stream_next(oracle->stream) % list.count], out);
}

int oracle_draw(struct oracle *oracle, struct text *out)
{
    return draw_from(oracle, oracle->corpus->known, out);
}

int oracle_draw_like(struct oracle *oracle, struct text *out)
{
    return draw_from(oracle, oracle->corpus->fresh, out);
}

int oracle_find(struct oracle *oracle, uint64_t most, struct text *out)
{
    for (uint64_t i = 0; i < most; i++) {
        int is_member = (int)(stream_next(oracle->stream) >> 63);
        if (!draw_from(oracle, is_member ? oracle->corpus->members : oracle->corpus->known, out))
            continue;
        int answer = oracle_ask(oracle, out);
        if (answer)
            return answer;
    }
    return 0;
}

int oracle_mutate(struct oracle *oracle, const struct text *parent, struct text *out)
{
    for (unsigned i = 0; i < MOST_TRIES; i++) {
        *out = *parent;
        if (text_mutate(out, oracle->edits, oracle->corpus, oracle->stream) && oracle_is_new(oracle, out))
            return 1;
    }
    return 0;
}

unsigned oracle_craft(const struct oracle *oracle, struct text *text)
{
    const struct learned_target *target = oracle->target;
    unsigned edits = 0;
    while (edits < MOST_EDITS && text_improve(text, oracle->edits, oracle->corpus, learned_value, target)) {
        edits++;
        if (target->learned.regions && learned_value(target, text).rate >= target->weakest)
            break;
    }
    return edits;
}
