/* SPDX-License-Identifier: MIT */
/* What the builder must know about all keys before it builds a private filter: how many different ones there are, and
 * a digest of them as a set, the same in whatever order and however often they came. */
#ifndef UF_KEY_SUMMARY_H
#define UF_KEY_SUMMARY_H

#include "runs.h"
#include "ultrafilter.h"

struct key_summary {
    uint64_t distinct;
    unsigned char digest[32];
};

int summarize_keys(const struct hash_runs *runs, const uf_context *ctx, struct key_summary *out);

#endif
