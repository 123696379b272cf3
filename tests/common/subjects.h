/* SPDX-License-Identifier: MIT */
/*
 * The subjects of the conformance tests: every kind the library lists, in several shapes. A new kind is one of them
 * from the day it is in the table of kinds; to have more shapes of it tested, add lines to subjects.c. Private kinds
 * miss members and need an epsilon, so they are subjects of checks of their own (conform_private.c).
 */
#ifndef UF_TEST_SUBJECTS_H
#define UF_TEST_SUBJECTS_H

#include "ultrafilter.h"

struct subject {
    const char *kind;
    double epsilon;   /* of private kinds, else 0 */
    char spec[160];   /* with a seed, where the kind has one; without n */
    char unsown[160]; /* the same without the seed */
    int has_seed;
    const uf_secret *secret; /* keyed ones: what they are made with, the first of secrets.h */
    int counts_in_order;     /* the kind stores a count that depends on the order of keys */
};

typedef void subject_check(const struct subject *subject);

struct check {
    const char *name;
    subject_check *run;
};

/* Every check on every subject, as one cmocka group. What main returns. */
int subjects_run(const char *group, const struct check *checks, size_t count);
int subjects_run_private(const char *group, const struct check *checks, size_t count);

/* ---- shorthands; they fail the test when the library refuses ---- */

/* A keyed spec gets the key of all subjects when the context has none. */
uf_filter *build(const char *spec, const uf_key *keys, size_t count, const uf_context *ctx);

/* What learned kinds are built with: a model that takes even keys for members. Keys of the tests are even and odd, and
 * some of the negatives are even, so it cannot be perfect, and the filters inside are needed. `build` takes it by
 * itself; other contexts need it as ctx.learning. */
const uf_learning *subject_learning(void);
uf_context subject_context(void); /* the defaults and that */

/* The key of all subjects when filters of this spec have one, in brackets or by their nature; otherwise NULL. */
const uf_secret *subject_secret(const char *spec);

/* A context whose randomness is the same every time; `state` must outlive it. */
uf_context seeded_context(uint64_t *state);

/* A new secret, from a key file that is gone again. Freed with uf_secret_free. */
uf_secret *new_secret(void);
/* The defaults, with the key that the subject needs. */
uf_context context_of(const struct subject *subject);

/* The spec of a subject with further parameters: with(subject, "n=%zu", n). The text lives until the next call but
 * seven. */
__attribute__((format(printf, 2, 3))) const char *with(const struct subject *subject, const char *format, ...);
__attribute__((format(printf, 2, 3))) const char *unsown_with(const struct subject *subject, const char *format, ...);

/* Asks for `count` keys of one width, back to back, in all three ways, which must agree. */
void ask_all_ways(const uf_filter *filter, const unsigned char *packed, size_t width, size_t count, uint8_t *answers);

/* Fails the test unless both filters have the same bytes. */
void assert_same_bytes(const uf_filter *a, const uf_filter *b, const char *what);

/* The same but for the count of keys, which tells how they came. */
void assert_same_keys(const uf_filter *a, const uf_filter *b, const char *what);

/* The same, or, where a kind counts in order, the same answers to `probes` keys. */
void assert_same_set(const struct subject *subject, const uf_filter *a, const uf_filter *b, const char *what);

/* Fails the test unless both filters answer alike on keys that are in neither set. */
void assert_same_answers(const uf_filter *a, const uf_filter *b, const char *what);

#endif
