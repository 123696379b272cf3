/* SPDX-License-Identifier: MIT */
#ifndef UF_PERMUTED_H
#define UF_PERMUTED_H

#include "learner.h"

/* Trains a model on the hashes, and gives them scores. */
int learner_train_permuted(struct learner *learner, uf_error *why);

#endif
