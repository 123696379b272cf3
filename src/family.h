/* SPDX-License-Identifier: MIT */
/*
 * Filters with children: a filter that is made of others. The payload is one array: the filter's own words, then those
 * of each child, every part on a multiple of 8 words (a cache line) with zeros between. In a file the children are
 * described behind the filter's own parameters; they have its hash and seed, and no children of their own.
 */
#ifndef UF_FAMILY_H
#define UF_FAMILY_H

#include "kind.h"

/* Puts children that have words of their own into one payload with `own`, of own_words words; then they have none. The
 * children are the filter's from then on, whatever is returned. */
int family_join(uf_filter *filter, const uint64_t *own, uf_filter *const *child, unsigned count, uf_error *why);

/* The descriptions, to and from bytes. Reading makes the handles, and word_count. */
void family_write(const uf_filter *filter, struct writer *writer);
int family_read(uf_filter *filter, struct reader *reader, uint64_t count, const uf_context *ctx, uf_error *why);

/* Points the children to their words, once the filter has its own. */
void family_place(uf_filter *filter);

/* Looks at loaded words: zeros between the parts, and what each child knows. */
int family_check(const uf_filter *filter, uf_error *why);

/* Frees the children's handles. */
void family_free(uf_filter *filter);

#endif
