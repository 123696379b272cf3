/* SPDX-License-Identifier: MIT */
/* What a uf_model is, for the files of this folder. */
#ifndef UF_MODELS_H
#define UF_MODELS_H

#include "fit.h"

struct uf_model {
    struct fit fit;
    uint64_t seed;
};

/* A handle with what `fit` owns, which is the handle's from then on; freed when there is no memory for one. */
int model_new(struct fit *fit, uint64_t seed, uf_model **out, uf_error *why);

/* They give every key the same score. */
int model_same(const uf_model *a, const uf_model *b);

#endif
