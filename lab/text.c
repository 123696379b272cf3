/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <string.h>

int text_take(uf_key key, struct text *out)
{
    if (!key.size || key.size > TEXT_MOST)
        return 0;
    memcpy(out->bytes, key.data, key.size);
    out->size = (unsigned char)key.size;
    return 1;
}

void text_mutate(struct text *text, const struct corpus *corpus, struct stream *stream)
{
    unsigned char *at = &text->bytes[stream_below(stream, text->size)], before = *at;
    while (*at == before)
        *at = corpus->letter[stream_below(stream, corpus->letters)];
}

static int is_better(struct text_value a, struct text_value b)
{
    return a.rate > b.rate || (a.rate >= b.rate && a.score > b.score);
}

int text_improve(struct text *text, const struct corpus *corpus,
                 struct text_value (*value)(const void *arg, const struct text *text), const void *arg)
{
    struct text trial = *text;
    struct text_value most = {-1, INT32_MIN};
    for (unsigned at = 0; at < trial.size; at++) {
        const unsigned char before = trial.bytes[at];
        for (unsigned i = 0; i < corpus->letters; i++) {
            trial.bytes[at] = corpus->letter[i];
            struct text_value now = value(arg, &trial);
            if (corpus->letter[i] == before || !is_better(now, most) || key_set_has(&corpus->set, text_key(&trial)))
                continue;
            most = now;
            *text = trial;
        }
        trial.bytes[at] = before;
    }
    return most.rate >= 0;
}
