/* SPDX-License-Identifier: MIT */
/*
 * Real keys for experiments with learned filters: the members of a set, and other keys in three parts, to train with,
 * to plan with and to measure with. Words of Debian's lists, French ones as members and English ones as others; or the
 * lines of pos.txt, neg_train.txt, neg_valid.txt and neg_test.txt in a folder. Others that are members are left out.
 */
#ifndef EXPERIMENTS_MATERIAL_H
#define EXPERIMENTS_MATERIAL_H

#include "ultrafilter.h"

enum material_part { MATERIAL_TRAIN, MATERIAL_VALID, MATERIAL_TEST, MATERIAL_PARTS };

struct material_keys {
    uf_key *key; /* owned; what they point to is the material's */
    size_t count;
};

struct material {
    struct material_keys members; /* sorted */
    struct material_keys others[MATERIAL_PARTS];
    char *text[1 + MATERIAL_PARTS]; /* the files, owned */
};

/* folder NULL: the word lists. Of more than `most` members a sample is taken, and the same share of the others. */
int material_read(const char *folder, uint64_t most, struct material *out, uf_error *why);
int material_has(const struct material *material, uf_key key);
void material_free(struct material *material);

#endif
