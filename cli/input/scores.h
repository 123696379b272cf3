/* SPDX-License-Identifier: MIT */
/* Scores that someone else computed: a file with one number a line, for the keys of another file in their order. */
#ifndef CLI_SCORES_H
#define CLI_SCORES_H

#include "key_list.h"

struct scores; /* keys and their scores */

int scores_new(struct scores **out);
void scores_free(struct scores *scores);

/* Adds the scores of `path` for these keys, which must outlive it. EXIT_ERROR after a message when a line is not a
 * number, when there are more or fewer lines than keys, or when a key has two scores. */
int scores_add(struct scores *scores, const char *path, const struct key_list *keys);

/* For uf_learning.score, with the scores as its argument: NaN for a key that has none. */
double scores_of(void *scores, uf_key key);

#endif
