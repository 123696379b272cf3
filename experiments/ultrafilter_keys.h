/* SPDX-License-Identifier: MIT */
/*
 * The keys of the UltraFilter paper's experiment: random strings of 50 letters, of which every array needs the hash
 * only. All arrays have one seed, so that a string is made and hashed once and not for each of a hundred filters. What
 * differs between filters is which strings are in them and their noise.
 */
#ifndef EXPERIMENTS_ULTRAFILTER_KEYS_H
#define EXPERIMENTS_ULTRAFILTER_KEYS_H

#include "experiment.h"

struct hashed_keys {
    uint64_t count;              /* of each */
    uint64_t seed;               /* of the arrays */
    uf_digest *members, *others; /* owned: no string is in both */
};

/* Give back with hashed_keys_free, also when it failed. */
int hashed_keys_make(const struct setup *setup, struct hashed_keys *out, uf_error *why);
void hashed_keys_free(struct hashed_keys *keys);

/* A Bloom filter of `hashes` positions a key, with the seed of the keys and PAPER_BITS bits for each that there may be.
 */
enum { PAPER_BITS = 16 };
int hashed_array(const struct hashed_keys *keys, unsigned hashes, const uf_digest *members, uint64_t count,
                 const uf_context *ctx, uf_filter **out, uf_error *why);

#endif
