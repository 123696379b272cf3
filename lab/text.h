/* SPDX-License-Identifier: MIT */
/* A key that attackers write into, and what they write: one edit at a time. */
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

/* What an edit does. Letters are those that the corpus has. */
enum text_edit {
    EDIT_SUBSTITUTE, /* one character becomes another */
    EDIT_INSERT,     /* one more */
    EDIT_DELETE,     /* one less */
    EDIT_SWAP,       /* two neighbours change places */
    EDIT_PREFIX,     /* www., m., http:// or https:// comes or goes; https becomes http */
    EDIT_SUFFIX,     /* a slash, a path, an s, a dot or a port comes or goes */
    TEXT_EDITS
};

/* 1 << enum text_edit, or-ed. */
#define TEXT_ALL_EDITS ((1u << TEXT_EDITS) - 1)

/* One edit of those in `edits`, at random. 0: it could not be found by trying, and the text is as it was. */
int text_mutate(struct text *text, unsigned edits, const struct corpus *corpus, struct stream *stream);

/* How good a text is, for those who compare: the rate first, then the score. */
struct text_value {
    double rate;
    int32_t score;
};

/* Makes the one edit of those in `edits` that is worth most, though it may be worth less than none. Texts of the set
 * are passed over. 0: there is no such edit. */
int text_improve(struct text *text, unsigned edits, const struct corpus *corpus,
                 struct text_value (*value)(const void *arg, const struct text *text), const void *arg);

#endif
