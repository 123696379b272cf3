/* SPDX-License-Identifier: MIT */
/* What the builder must know about all keys before it builds a private filter: how many different ones there are, and
 * a digest of them as a set, the same in whatever order and however often they came. */
#ifndef UF_SURVEY_H
#define UF_SURVEY_H

#include "runs.h"
#include "ultrafilter.h"

struct survey {
    uint64_t distinct;
    unsigned char digest[32];
};

int survey_keys(const struct hash_runs *runs, const uf_context *ctx, struct survey *out);

#endif
