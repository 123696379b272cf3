/* SPDX-License-Identifier: MIT */
/*
 * From keys and negatives to a model: trains, and picks the number of weights. The largest table worth trying, an
 * eighth of the plain filter, is trained first; then it is folded to half its size again and again, repaired by two
 * passes each time, until model and filter together stop becoming smaller.
 */
#ifndef UF_FIT_H
#define UF_FIT_H

#include "model.h"
#include "regions.h"

struct fit_keys {
    const uf_key *keys;
    size_t count;
};

struct fit_request {
    struct fit_keys positives, negatives, valid;
    uint64_t budget; /* bytes of weights at most; 0: an eighth of the plain filter */
    unsigned weight_bits;
    uint64_t seed;
    struct regions_request filter; /* that the model is for */
};

struct fit {
    struct mem mem;
    struct model model;
    uint64_t *words;                      /* owned: the model's */
    double auc;                           /* of all positives against `valid` */
    uint64_t positives, negatives, valid; /* that were used */
    uint64_t overlap;                     /* negatives of both kinds that are positives, and were left out */
    uint64_t repeated, trained;           /* valid ones that came before, and that are negatives, too: left out */
};

int fit_model(const struct fit_request *request, const uf_context *ctx, struct fit *out, uf_error *why);
void fit_free(struct fit *fit);

/* Scores for all keys, on ctx->threads threads. */
void fit_score_all(const struct model *model, const struct fit_keys *keys, unsigned threads, int64_t *out);

#endif
