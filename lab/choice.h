/* SPDX-License-Identifier: MIT */
/*
 * How an adversary of the learned games chooses the set S and the data D to learn from. It has a stock of keys of two
 * sorts, trains a model of its own on them, and picks by score: it has the algorithms, and lacks the key alone.
 *
 *   honest      members of one sort, negatives of the other, at random
 *   poisoned    negatives that look least like members: nothing else seems to be asked for
 *   lookalikes  negatives that look most like members
 *   mimics      half of the members look like negatives
 *   starved     one range of scores has the fewest members that are possible, and half of the negatives
 *   huge        one range of scores has all members but the fewest that are possible
 *   tiny        a set of 24 members
 *   equal       D is S: all members are negatives, too, one in eight to plan with and the others to train on; as many
 *               keys that are none beside them, since negatives that are all members are refused
 *   few         three negatives to train on and three to plan with
 */
#ifndef LAB_CHOICE_H
#define LAB_CHOICE_H

#include "corpus.h"

/* What is chosen from. */
struct stock;

struct draft;

struct choice {
    const char *name, *metric;
    void (*choose)(struct draft *draft);
};

enum { CHOICES = 9 };
extern const struct choice choices[CHOICES];

/* By name, NULL when there is none. */
const struct choice *choice_find(const char *name);

/* At most `most` keys of each list of a corpus, which stays where it is, by their scores. */
int stock_open(const struct corpus *corpus, size_t most, struct stream *stream, struct stock **out, uf_error *why);
void stock_free(struct stock *stock);

/* S and D for one adversary: n members, if there are so many. `fresh` of it is of the sort of `valid`, and `known` is
 * the whole stock, which must outlive it. From several threads at once. */
int choice_make(const struct choice *choice, const struct stock *stock, size_t n, struct stream *stream,
                struct corpus *out, uf_error *why);

#endif
