/* SPDX-License-Identifier: MIT */
/*
 * Text for learned filters and for those who attack them: a set, and keys that are not in it. Given by whoever runs the
 * experiment, or made up: host names of two styles. Half of the members, and few others, look like names that a program
 * makes ("x7kq2vbd.top"); the other half look like everyone's ("maroda.com") and cannot be told from the rest.
 */
#ifndef LAB_CORPUS_H
#define LAB_CORPUS_H

#include "key_set.h"
#include "stream.h"

struct corpus_list {
    const uf_key *keys;
    size_t count;
};

struct corpus {
    struct corpus_list members;
    struct corpus_list negatives; /* to train on */
    struct corpus_list valid;     /* to plan rates with */
    struct corpus_list fresh;     /* that nobody has used yet, none of them a member */
    struct corpus_list known;     /* that attackers start from: fresh ones, or all that they know, members included */
    struct key_set set;           /* the members: what is in it is no false positive */
    unsigned char letter[256];    /* that occur in the members and negatives */
    unsigned letters;
    uf_key *owned[4];
    char *text;
};

/* What the experimenter has. Borrows the keys; every second valid one becomes a fresh one. */
int corpus_take(struct corpus_list members, struct corpus_list negatives, struct corpus_list valid, struct corpus *out,
                uf_error *why);

/* Made up: n members, n negatives to train on, and `others` valid and fresh ones each. All are distinct. */
int corpus_make(size_t n, size_t others, struct stream *stream, struct corpus *out, uf_error *why);
void corpus_free(struct corpus *corpus);

#endif
