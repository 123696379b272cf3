/* SPDX-License-Identifier: MIT */
/* What learn.c, which takes keys in, and learn_build.c, which makes a filter of them, share. */
#ifndef UF_LEARNER_H
#define UF_LEARNER_H

#include <pthread.h>

#include "learned.h"
#include "scored.h"

struct learner {
    struct mem mem;
    uf_context ctx;
    uf_learning learning; /* the caller's, with defaults */
    const struct filter_ops *ops;
    const struct hasher *hasher; /* the builder's */
    uf_model *own;               /* owned: trained here, on permuted keys */
    struct learned_wish wish;

    pthread_mutex_t lock; /* guards the next three */
    struct scored_list keys;
    int failed; /* the first failure; nothing is added after it */
    uf_error why;
};

/* Scores; negative with words when one is not a number. A model may see the hashes instead of the keys. */
int learner_score(const struct learner *learner, const uf_key *keys, const struct hash128 *hashes, size_t count,
                  int64_t *out, uf_error *why);

/* What the regions should be. */
struct regions_wish learner_regions(const struct learner *learner);

/* Trains a model on the hashes, and gives them scores (learn_permuted.c). */
int learner_train_permuted(struct learner *learner, uf_error *why);

/* What was chosen: regions and what they were chosen from. */
struct design {
    struct regions regions;
    double auc;
    uint64_t valid, overlap; /* negatives that were used, and that were keys */
};

/* Fills a report: from a filter, or, when it is NULL, from what was planned. */
void learner_report(const struct learner *learner, const struct design *design, const uf_filter *filter,
                    uf_learned *out);

int learner_design(const struct learner *learner, struct design *out, uf_error *why);
int learner_build(const struct learner *learner, const struct design *design, uf_filter **out, uf_error *why);
int learner_build_plain(const struct learner *learner, uf_filter **out, uf_error *why);

#endif
