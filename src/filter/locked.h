/* SPDX-License-Identifier: MIT */
/*
 * Keyed filters whose key is not there. Such a filter is whole and checked, and can be described, copied and saved, but
 * knows no hash: it answers "maybe" to every key and takes none. Its calls are others, so that filters with a key pay
 * nothing for it.
 */
#ifndef UF_LOCKED_H
#define UF_LOCKED_H

#include "filter.h"

/* Does nothing to a filter that is not keyed. */
void locked_start(uf_filter *filter);

/* The calls of a locked filter, where those of its kind were just bound. */
void locked_bind(uf_filter *filter);

/* Gives a filter, and those inside it, the keys that they were made with. On failure none of them has one. */
int locked_end(uf_filter *filter, const uf_context *ctx, uf_error *why);

/* UF_EKEY, with which key is missing. */
int locked_refuse(const uf_filter *filter, uf_error *why);

#endif
