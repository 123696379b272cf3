/* SPDX-License-Identifier: MIT */
/* Keys from an input into a builder, with as many threads as the input feeds. */
#ifndef CLI_FEED_H
#define CLI_FEED_H

#include "keys.h"

/* EXIT_FINE and how many keys came, or EXIT_ERROR after a message. */
int feed_builder(const struct keys_input *input, unsigned threads, uf_builder *builder, uint64_t *keys);

#endif
