/* SPDX-License-Identifier: MIT */
/*
 * Building learned filters. Keys are scored and hashed as they come, 24 bytes each; at the end the regions are chosen
 * from all scores and those of the valid negatives, and the filters of the regions are built from the hashes. The bytes
 * do not depend on the order of the keys, so not on threads either.
 */
#ifndef UF_LEARN_H
#define UF_LEARN_H

#include "kind.h"

struct learner;

/* Borrows everything but the spec until it is freed. */
int learner_new(const struct filter_ops *ops, const struct spec *want, const struct hasher *hasher,
                const uf_context *ctx, struct learner **out, uf_error *why);

/* From any number of threads. A failure comes again, with words, when it is finished. */
int learner_add(struct learner *learner, const uf_key *keys, size_t count);
int learner_add_fixed(struct learner *learner, const void *keys, size_t key_bytes, size_t count);

/* How many keys were added. */
uint64_t learner_count(const struct learner *learner);

/* A learned filter, or a plain one when that is smaller. */
int learner_finish(struct learner *learner, uf_filter **out, uf_error *why);
void learner_free(struct learner *learner); /* NULL is fine */

/* Gives a loaded filter the caller's scores, when it needs them and the context has them. */
int learn_attach(uf_filter *filter, const uf_context *ctx, uf_error *why);

#endif
