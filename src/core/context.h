/* SPDX-License-Identifier: MIT */
#ifndef UF_CONTEXT_H
#define UF_CONTEXT_H

#include "ultrafilter.h"

/* The caller's context with every default filled in; cpu becomes a path this machine has. A label is a name and comes
 * with a secret. */
int context_read(const uf_context *given, uf_context *out, uf_error *why);

/* 1: a release in this context gets its coins from the secret and the label. 0: fresh ones. */
int context_repeats(const uf_context *ctx);

#endif
