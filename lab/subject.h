/* SPDX-License-Identifier: MIT */
/*
 * What experiments are made on: something that takes a set and then answers whether a key is in it. A spec, of which a
 * filter is built; or a release of the set itself, which is asked directly, since a filter of it could only blur it.
 */
#ifndef LAB_SUBJECT_H
#define LAB_SUBJECT_H

#include "ultrafilter.h"

struct subject {
    uf_spec spec;
    const char *release;         /* "dime:epsilon=1"; NULL: the spec counts */
    const uf_universe *universe; /* with release: every key that there could be */
};

/* Made from one set; one of the two. */
struct outcome {
    uf_filter *filter;
    uf_set *set;
};

/* A spec in words, planned once and not again for each filter. One that needs the number of keys stays as it is. */
int subject_parse(const char *text, struct subject *out, uf_error *why);

int subject_make(const struct subject *subject, const uf_key *keys, size_t count, const uf_context *ctx,
                 struct outcome *out, uf_error *why);

/* answers[i] is 1 when key i is said to be in the set. */
int outcome_ask(const struct outcome *outcome, const uf_key *keys, size_t count, uint8_t *answers, uf_error *why);
void outcome_free(struct outcome *outcome);

/* Keys 1, 2, 3... as decimal text: those of the universe range:1-COUNT. NULL when there is no memory. */
struct numbered {
    size_t count;
    uf_key *keys; /* owned */
    char (*text)[24];
};
int numbered_make(size_t count, struct numbered *out);
void numbered_free(struct numbered *numbered);

#endif
