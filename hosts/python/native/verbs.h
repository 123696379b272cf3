/* SPDX-License-Identifier: MIT */
/* What is done with a piece of keys, in whatever shape it comes. No interpreter lock is needed. */
#ifndef ULTRAFILTER_PYTHON_VERBS_H
#define ULTRAFILTER_PYTHON_VERBS_H

#include "source.h"

/* `out` gets a byte for each key: an answer, a verdict, or whether it was removed. Returns a status. */
typedef int verb(uf_filter *filter, const struct piece *piece, void *out, uf_error *why);

int verb_query(uf_filter *filter, const struct piece *piece, void *out, uf_error *why);
int verb_add(uf_filter *filter, const struct piece *piece, void *out, uf_error *why);
int verb_remove(uf_filter *filter, const struct piece *piece, void *out, uf_error *why);

/* One key of a piece; UF_EINVAL and a reason when the offsets of a column fall. */
uf_key piece_key(const struct piece *piece, size_t i);
int piece_check(const struct piece *piece, uf_error *why);

int verb_build(uf_builder *builder, const struct piece *piece, uf_error *why);
int verb_collect(uf_set *set, const struct piece *piece, uf_error *why);

#endif
