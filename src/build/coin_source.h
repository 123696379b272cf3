/* SPDX-License-Identifier: MIT */
/*
 * Where the coins of a private filter come from: the system, or, when the context has a secret and a label, a stream
 * that is fixed by these, the parameters and the set. Then the same release twice is the same bytes and tells nothing
 * new. Without the label in it, two releases with equal bytes would prove that the set did not change, and others that
 * it did, whatever the epsilon.
 *
 * Whoever changes what a kind does with its coins, which golden files notice, also changes the word that they are
 * derived with (filter_ops.coins): one stream in two mechanisms would be two releases with one noise, which no sum of
 * epsilons covers.
 */
#ifndef UF_COIN_SOURCE_H
#define UF_COIN_SOURCE_H

#include "ops.h"
#include "rng.h"

struct coin_source {
    uf_context ctx; /* what to build with */
    struct rng stream;
    int fixed; /* the stream is open */
};

/* One text for all spellings of a request: every number resolved when it says n, in one notation when it does not;
 * names in order; without the seed. */
int coin_source_text(const struct filter_ops *ops, const struct spec *want, uf_spec *out);

/* digest: 32 bytes of the set, not looked at without a label. Ends with coin_source_close either way. */
int coin_source_open(struct coin_source *coins, const uf_context *ctx, const struct filter_ops *ops,
                     const uf_spec *text, uint64_t seed, const unsigned char *digest);
void coin_source_close(struct coin_source *coins);

#endif
