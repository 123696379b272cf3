/* SPDX-License-Identifier: MIT */
/*
 * A filter of a released set, as `publish` makes it: of any kind, and of a learned one with a model that is trained on
 * the released set and on public negatives, which are numbers outside of its universe. What an adversary then has is
 * the filter, and the model in it.
 */
#ifndef LAB_RELEASED_FILTER_H
#define LAB_RELEASED_FILTER_H

#include "ultrafilter.h"

int released_filter_is_learned(const uf_spec *spec);

/* *model is NULL for kinds that have none; both are given back by the caller. */
int released_filter_make(const uf_spec *spec, const uf_set *released, const uf_context *ctx, uf_filter **out,
                         uf_model **model, uf_error *why);

#endif
