/* SPDX-License-Identifier: MIT */
#include "inquiry.h"

enum { MOST_TRIES = 64, MOST_EDITS = 3 };

void inquiry_close(struct inquiry *inquiry)
{
    key_set_free(&inquiry->asked);
}

int inquiry_is_new(const struct inquiry *inquiry, const struct text *text)
{
    return !key_set_has(&inquiry->corpus->set, text_key(text)) && !key_set_has(&inquiry->asked, text_key(text));
}

int inquiry_ask(struct inquiry *inquiry, const struct text *text)
{
    if (key_set_add(&inquiry->asked, text_key(text)) < 0)
        return UF_ENOMEM;
    inquiry->questions++;
    return uf_query(inquiry->target->filter, text_key(text));
}

static int draw_from(struct inquiry *inquiry, struct corpus_list list, struct text *out)
{
    return text_take(list.keys[stream_next(inquiry->stream) % list.count], out);
}

int inquiry_draw(struct inquiry *inquiry, struct text *out)
{
    return draw_from(inquiry, inquiry->corpus->fresh, out);
}

int inquiry_find(struct inquiry *inquiry, uint64_t most, struct text *out)
{
    for (uint64_t i = 0; i < most; i++) {
        int is_member = (int)(stream_next(inquiry->stream) >> 63);
        if (!draw_from(inquiry, is_member ? inquiry->corpus->members : inquiry->corpus->fresh, out))
            continue;
        int answer = inquiry_ask(inquiry, out);
        if (answer)
            return answer;
    }
    return 0;
}

int inquiry_mutate(struct inquiry *inquiry, const struct text *parent, struct text *out)
{
    for (unsigned i = 0; i < MOST_TRIES; i++) {
        *out = *parent;
        text_mutate(out, inquiry->corpus, inquiry->stream);
        if (inquiry_is_new(inquiry, out))
            return 1;
    }
    return 0;
}

unsigned inquiry_craft(const struct inquiry *inquiry, struct text *text)
{
    const struct learned_target *target = inquiry->target;
    unsigned edits = 0;
    while (edits < MOST_EDITS && text_improve(text, inquiry->corpus, learned_value, target)) {
        edits++;
        if (target->learned.regions && learned_value(target, text).rate >= target->weakest)
            break;
    }
    return edits;
}
