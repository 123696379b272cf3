/* SPDX-License-Identifier: MIT */
/* Keys of one's own for the lab's experiments on learned filters: --positives, --negatives and --valid. */
#ifndef LAB_CORPUS_INPUT_H
#define LAB_CORPUS_INPUT_H

#include "corpus.h"
#include "labelled.h"

struct corpus_input {
    struct labelled lists;
    struct corpus corpus; /* borrows the lists */
};

/* 1 when any of the three options was given. */
int corpus_input_wanted(const struct args *args);

/* Whether --valid may be missing: then it is the second half of --negatives. */
enum corpus_valid { CORPUS_NEEDS_VALID, CORPUS_MAY_SPLIT };

/* All three of them, or EXIT_ERROR after a message and nothing to free. */
int corpus_input_read(const struct args *args, enum corpus_valid valid, struct corpus_input *out);
void corpus_input_free(struct corpus_input *input);

#endif
