/* SPDX-License-Identifier: MIT */
/*
 * What experiments are made on: something that takes a set and then answers whether a key is in it.
 *
 *   spec                 a filter of that spec
 *   exact and spec       an exact filter is built first, and `spec` says how the copy is made that is handed out
 *   release              a release of the set itself, asked directly: a filter of it could only blur it
 *   release and spec     a filter of the released set
 *   command              anything that makes a file of a list of keys (shell.h)
 */
#ifndef LAB_SUBJECT_H
#define LAB_SUBJECT_H

#include "observation.h"

struct subject {
    uf_spec spec;                /* empty: none */
    uf_spec exact;               /* empty: none */
    const char *release;         /* "dime:epsilon=1"; NULL: none */
    const uf_universe *universe; /* with release: every key that there could be */
    const char *command;         /* NULL: none, and then nothing else counts */
};

/* Made from one set; one of the two. */
struct outcome {
    uf_filter *filter;
    uf_set *set;
};

/* A spec in words, planned once and not again for each filter. One that needs the number of keys stays as it is. */
int subject_parse(const char *text, struct subject *out, uf_error *why);

/* Not of a command. */
int subject_make(const struct subject *subject, const uf_key *keys, size_t count, const uf_context *ctx,
                 struct outcome *out, uf_error *why);

/* All that can be seen of one run. That a set is refused is seen too: it is no error here, but why->text says it. What
 * no set is to blame for (memory, randomness, a command that could not be started) is. */
int subject_observe(const struct subject *subject, const uf_key *keys, size_t count, uf_key x, const uf_context *ctx,
                    struct observation *out, uf_error *why);

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
