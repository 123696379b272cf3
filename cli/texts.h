/* SPDX-License-Identifier: MIT */
/* Keys of one's own for the lab's experiments on learned filters: --positives, --negatives and --valid. */
#ifndef CLI_TEXTS_H
#define CLI_TEXTS_H

#include "corpus.h"
#include "list.h"

struct texts {
    struct list positives, negatives, valid;
    struct corpus corpus; /* borrows the lists */
};

/* 1 when any of the three options was given. */
int texts_wanted(const struct args *args);

/* All three of them, or EXIT_ERROR after a message and nothing to free. */
int texts_read(const struct args *args, struct texts *out);
void texts_free(struct texts *texts);

#endif
