/* SPDX-License-Identifier: MIT */
/* Labelled keys to learn from: --positives, --negatives and --valid. */
#ifndef CLI_LABELLED_H
#define CLI_LABELLED_H

#include "args.h"
#include "key_list.h"

struct labelled {
    struct key_list positives, negatives, valid;
};

/* All three of them, or EXIT_ERROR after a message and nothing to free. */
int labelled_read(const struct args *args, struct labelled *out);
/* The same without --valid. */
int labelled_read_two(const struct args *args, struct labelled *out);
void labelled_free(struct labelled *lists);

#endif
