/* SPDX-License-Identifier: MIT */
/*
 * The negatives that a rate is planned with. A key counts once, however often it comes: what has to be known is how
 * fresh keys score, and a line that comes twenty thousand times says no more about that than one. Those that the model
 * was trained on do not count, since it knows them.
 */
#ifndef UF_NEGATIVES_H
#define UF_NEGATIVES_H

#include "learner.h"

struct negatives {
    struct mem mem;
    size_t lines;           /* that were given; memory for as many scores */
    int64_t *score;         /* owned: first those of the fresh ones, then those of the members */
    int64_t *member;        /* owned: those of the members once more */
    size_t fresh, members;  /* different keys that are not in the set, and that are */
    size_t repeated, known; /* lines that came before, and different keys that were trained on: left out */
};

/* UF_EINVAL, with words: none is left, or a score is not a number. */
int negatives_read(const struct learner *learner, struct negatives *out, uf_error *why);
void negatives_free(struct negatives *negatives);

#endif
