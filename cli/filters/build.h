/* SPDX-License-Identifier: MIT */
/*
 * A filter from an input of keys. Their number is needed to size it. When the spec does not say it, a regular file is
 * read twice, first to count; from a pipe the library keeps 16 bytes per key instead.
 */
#ifndef CLI_BUILD_H
#define CLI_BUILD_H

#include "keys.h"
#include "ultrafilter.h"

/* Keys from an input into a builder, with as many threads as the input feeds. EXIT_FINE and how many keys came, or
 * EXIT_ERROR after a message. */
int build_feed(struct keys_input *input, unsigned threads, uf_builder *builder, uint64_t *keys);

/* EXIT_FINE, the filter and how many keys came, or EXIT_ERROR after a message. */
int build_filter(struct keys_input *input, const uf_spec *spec, const uf_context *context, uf_filter **out,
                 uint64_t *keys);

#endif
