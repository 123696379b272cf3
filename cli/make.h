/* SPDX-License-Identifier: MIT */
/*
 * A filter from an input of keys. Their number is needed to size it. When the spec does not say it, a regular file is
 * read twice, first to count; from a pipe the library keeps 16 bytes per key instead.
 */
#ifndef CLI_MAKE_H
#define CLI_MAKE_H

#include "keys.h"
#include "ultrafilter.h"

/* Is it of this kind, and not keyed? */
int make_is_kind(const uf_spec *spec, const char *kind);

int make_is_keyed(const uf_spec *spec);

/* Does the spec say this number? */
int make_says(const uf_spec *spec, const char *name);

/* EXIT_FINE, the filter and how many keys came, or EXIT_ERROR after a message. */
int make_filter(const struct keys_input *input, const uf_spec *spec, const uf_context *context, uf_filter **out,
                uint64_t *keys);

#endif
