/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <string.h>

enum { MOST_TRIES = 16 };

int text_take(uf_key key, struct text *out)
{
    if (!key.size || key.size > TEXT_MOST)
        return 0;
    memcpy(out->bytes, key.data, key.size);
    out->size = (unsigned char)key.size;
    return 1;
}

/* ---- edits ---- */

/* So many bytes from `at` on give way to those of `put`. 0: it would be empty or too long. */
static int replace(struct text *text, unsigned at, unsigned cut, const char *put, unsigned put_size)
{
    const unsigned size = text->size - cut + put_size;
    if (!size || size > TEXT_MOST)
        return 0;
    memmove(text->bytes + at + put_size, text->bytes + at + cut, text->size - at - cut);
    memcpy(text->bytes + at, put, put_size);
    text->size = (unsigned char)size;
    return 1;
}

static int starts_with(const struct text *text, const char *word, size_t size)
{
    return text->size >= size && !memcmp(text->bytes, word, size);
}

static const char *const prefixes[] = {"www.", "m.", "http://", "https://"};
static const char *const suffixes[] = {"/", "/index.html", "s", ".", ":443"};

enum { PREFIXES = sizeof prefixes / sizeof prefixes[0], SUFFIXES = sizeof suffixes / sizeof suffixes[0] };

/* The last one drops the s of https. */
static int edit_prefix(struct text *text, unsigned which)
{
    const char *word = which < PREFIXES ? prefixes[which] : "https:";
    const unsigned size = (unsigned)strlen(word);
    const int is_there = starts_with(text, word, size);
    if (which == PREFIXES)
        return is_there && replace(text, 4, 1, "", 0);
    return is_there ? replace(text, 0, size, "", 0) : replace(text, 0, 0, word, size);
}

static int edit_suffix(struct text *text, unsigned which)
{
    const char *word = suffixes[which];
    const unsigned size = (unsigned)strlen(word);
    const int is_there = text->size >= size && !memcmp(text->bytes + text->size - size, word, size);
    return is_there ? replace(text, text->size - size, size, "", 0) : replace(text, text->size, 0, word, size);
}

static int edit_swap(struct text *text, unsigned at)
{
    const unsigned char first = text->bytes[at];
    if (at + 1 >= text->size || first == text->bytes[at + 1])
        return 0;
    text->bytes[at] = text->bytes[at + 1];
    text->bytes[at + 1] = first;
    return 1;
}

static int edit_substitute(struct text *text, unsigned at, unsigned char letter)
{
    if (text->bytes[at] == letter)
        return 0;
    text->bytes[at] = letter;
    return 1;
}

/* How many places an edit has in this text, and how many letters matter at each. */
static unsigned places_of(const struct text *text, enum text_edit edit)
{
    switch (edit) {
    case EDIT_INSERT:
        return text->size + 1u;
    case EDIT_PREFIX:
        return PREFIXES + 1;
    case EDIT_SUFFIX:
        return SUFFIXES;
    default:
        return text->size;
    }
}

static unsigned letters_of(const struct corpus *corpus, enum text_edit edit)
{
    return edit == EDIT_SUBSTITUTE || edit == EDIT_INSERT ? corpus->letters : 1;
}

/* 1 when the text is another one now. */
static int apply(struct text *text, enum text_edit edit, unsigned place, unsigned char letter)
{
    const char put = (char)letter;
    switch (edit) {
    case EDIT_SUBSTITUTE:
        return edit_substitute(text, place, letter);
    case EDIT_INSERT:
        return replace(text, place, 0, &put, 1);
    case EDIT_DELETE:
        return replace(text, place, 1, "", 0);
    case EDIT_SWAP:
        return edit_swap(text, place);
    case EDIT_PREFIX:
        return edit_prefix(text, place);
    default:
        return edit_suffix(text, place);
    }
}

/* ---- by chance ---- */

/* One of those in the mask, which has some. */
static enum text_edit draw_edit(unsigned edits, struct stream *stream)
{
    unsigned edit;
    do
        edit = stream_below(stream, TEXT_EDITS);
    while (!(edits >> edit & 1));
    return (enum text_edit)edit;
}

int text_mutate(struct text *text, unsigned edits, const struct corpus *corpus, struct stream *stream)
{
    for (unsigned i = 0; i < MOST_TRIES; i++) {
        const enum text_edit edit = draw_edit(edits, stream);
        const unsigned place = stream_below(stream, places_of(text, edit));
        const unsigned char letter = corpus->letter[stream_below(stream, letters_of(corpus, edit))];
        if (apply(text, edit, place, letter))
            return 1;
    }
    return 0;
}

/* ---- by choice ---- */

static int is_better(struct text_value a, struct text_value b)
{
    return a.rate > b.rate || (a.rate >= b.rate && a.score > b.score);
}

/* What is compared with, and the best so far. */
struct search {
    const struct corpus *corpus;
    struct text_value (*value)(const void *arg, const struct text *text);
    const void *arg;
    struct text_value most;
    struct text best;
};

static void try_edit(struct search *search, const struct text *text, enum text_edit edit)
{
    const unsigned places = places_of(text, edit), letters = letters_of(search->corpus, edit);
    for (unsigned place = 0; place < places; place++)
        for (unsigned i = 0; i < letters; i++) {
            struct text trial = *text;
            if (!apply(&trial, edit, place, search->corpus->letter[i]))
                continue;
            const struct text_value now = search->value(search->arg, &trial);
            if (!is_better(now, search->most) || key_set_has(&search->corpus->set, text_key(&trial)))
                continue;
            search->most = now;
            search->best = trial;
        }
}

int text_improve(struct text *text, unsigned edits, const struct corpus *corpus,
                 struct text_value (*value)(const void *arg, const struct text *text), const void *arg)
{
    struct search search = {.corpus = corpus, .value = value, .arg = arg, .most = {-1, INT32_MIN}};
    for (unsigned edit = 0; edit < TEXT_EDITS; edit++)
        if (edits >> edit & 1)
            try_edit(&search, text, (enum text_edit)edit);
    if (search.most.rate < 0)
        return 0;
    *text = search.best;
    return 1;
}
