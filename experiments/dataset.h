/* SPDX-License-Identifier: MIT */
/*
 * Real keys for experiments with learned filters: the members of a set, and other keys in three parts, to train with,
 * to plan with and to measure with. Words of Debian's lists, French ones as members and English ones as others; or the
 * lines of pos.txt, neg_train.txt, neg_valid.txt and neg_test.txt in a folder. Others that are members are left out.
 */
#ifndef EXPERIMENTS_DATASET_H
#define EXPERIMENTS_DATASET_H

#include "ultrafilter.h"

enum dataset_split { DATASET_TRAIN, DATASET_VALID, DATASET_TEST, DATASET_SPLITS };

struct dataset_keys {
    uf_key *key; /* owned; what they point to is the dataset's */
    size_t count;
};

struct dataset {
    struct dataset_keys members; /* sorted */
    struct dataset_keys others[DATASET_SPLITS];
    char *text[1 + DATASET_SPLITS]; /* the files, owned */
};

/* folder NULL: the word lists. Of more than `most` members a sample is taken, and the same share of the others. */
int dataset_read(const char *folder, uint64_t most, struct dataset *out, uf_error *why);
int dataset_has(const struct dataset *dataset, uf_key key);
void dataset_free(struct dataset *dataset);

#endif
