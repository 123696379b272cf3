/* SPDX-License-Identifier: MIT */
#ifndef UF_SCORES_H
#define UF_SCORES_H

#include "learner.h"

/* Scores of keys, or a status with words when one is not a number. A model may see the hashes instead of the keys. */
int learner_score(const struct learner *learner, const uf_key *keys, const struct hash128 *hashes, size_t count,
                  int64_t *out, uf_error *why);

#endif
