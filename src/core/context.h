/* SPDX-License-Identifier: MIT */
#ifndef UF_CONTEXT_H
#define UF_CONTEXT_H

#include "ultrafilter.h"

/* The caller's context with every default filled in; cpu becomes a path this machine has. */
int context_read(const uf_context *given, uf_context *out, uf_error *why);

#endif
