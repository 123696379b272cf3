/* SPDX-License-Identifier: MIT */
/* A key that attackers write into, and what they write: one character at a time. */
#ifndef LAB_TEXT_H
#define LAB_TEXT_H

#include "corpus.h"

enum { TEXT_MOST = 255 };

struct text {
    unsigned char bytes[TEXT_MOST];
    unsigned char size;
};

static inline uf_key text_key(const struct text *text)
{
    return (uf_key){text->bytes, text->size};
}

/* 0: the key is empty or too long to be written into. */
int text_take(uf_key key, struct text *out);

/* One random character becomes another that the corpus has. */
void text_mutate(struct text *text, const struct corpus *corpus, struct stream *stream);

/* How good a text is, for those who compare: the rate first, then the score. */
struct text_value {
    double rate;
    int32_t score;
};

/* Makes the one change of a character that is worth most, though it may be worth less than no change. Texts of the set
 * are passed over. 0: there is no such change. */
int text_improve(struct text *text, const struct corpus *corpus,
                 struct text_value (*value)(const void *arg, const struct text *text), const void *arg);

#endif
