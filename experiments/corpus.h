/* SPDX-License-Identifier: MIT */
/*
 * Real keys for experiments with learned filters: the members of a set, and other keys in three parts, to train with,
 * to plan with and to measure with. Words of Debian's lists, French ones as members and English ones as others; or the
 * lines of pos.txt, neg_train.txt, neg_valid.txt and neg_test.txt in a folder. Others that are members are left out.
 */
#ifndef EXPERIMENTS_CORPUS_H
#define EXPERIMENTS_CORPUS_H

#include "ultrafilter.h"

enum corpus_part { CORPUS_TRAIN, CORPUS_VALID, CORPUS_TEST, CORPUS_PARTS };

struct corpus_keys {
    uf_key *key; /* owned; what they point to is the corpus's */
    size_t count;
};

struct corpus {
    struct corpus_keys members; /* sorted */
    struct corpus_keys others[CORPUS_PARTS];
    char *text[1 + CORPUS_PARTS]; /* the files, owned */
};

/* folder NULL: the word lists. Of more than `most` members a sample is taken, and the same share of the others. */
int corpus_read(const char *folder, uint64_t most, struct corpus *out, uf_error *why);
int corpus_has(const struct corpus *corpus, uf_key key);
void corpus_free(struct corpus *corpus);

#endif
