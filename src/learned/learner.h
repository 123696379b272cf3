/* SPDX-License-Identifier: MIT */
/*
 * Building learned filters. Keys are scored and hashed as they come, 24 bytes each; at the end the regions are chosen
 * from all scores and those of the valid negatives (design.h), and the filters of the regions are built from the hashes
 * (region_filters.h). The bytes do not depend on the order of the keys, so not on threads either.
 */
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
    struct learned_request request;

    pthread_mutex_t lock; /* guards the next three */
    struct scored_list keys;
    int failed; /* the first failure; nothing is added after it */
    uf_error why;
};

#endif
