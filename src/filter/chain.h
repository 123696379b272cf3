/* SPDX-License-Identifier: MIT */
/*
 * Filters that grow: a chain of levels, all of one kind and one hash, of which the last takes keys. When it is full the
 * next level has twice its capacity and half its rate, so with the first planned at half of the rate P that was asked
 * for, the rates add up to
 *
 *     P/2 + P/4 + P/8 + ... < P          whatever the number of levels.
 *
 * After 10 n keys there are four levels, which take 1.3 times the bits of one filter that was planned for as many at
 * this rate. What it has in common with other filters of filters is in series.h.
 *
 * Almeida, Baquero, Preguiça and Hutchison, "Scalable Bloom filters", Information Processing Letters 2007.
 */
#ifndef UF_CHAIN_H
#define UF_CHAIN_H

#include "ops.h"

DECLARE_KIND(chain)

/* Fewer keys are not worth a level. */
enum { CHAIN_LEAST_KEYS = 64 };

/* ops->plan, for a spec with full=scale: its fpr is that of the whole, the other numbers those of the first level. */
int chain_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why);

/* The plan of the first level. */
int chain_first(const struct filter_ops *ops, struct spec *plan, uf_error *why);

/* A chain of one level, which it then owns. */
int chain_wrap(uf_filter *level, const uf_context *ctx, uf_filter **out, uf_error *why);

#endif
