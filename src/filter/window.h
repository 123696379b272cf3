/* SPDX-License-Identifier: MIT */
/*
 * Keys that expire: a window of G generations, all of one kind, size and hash (series.h), the oldest first. Keys go
 * into the newest; rotating empties the oldest, which thus becomes the newest. So a key that is not inserted again is
 * answered to for G - 1 rotations, and gone with the next.
 *
 * n is that of one generation. Each has a share P/G of the rate P that was asked for, so that
 *
 *     1 - (1 - P/G)^G < P          whichever of them are full.
 *
 * A key that only older generations answer to is inserted again, so that it lives on, and was known all the same.
 * full=refuse and full=warn are about the newest generation.
 */
#ifndef UF_WINDOW_H
#define UF_WINDOW_H

#include "ops.h"

DECLARE_KIND(window)

/* As many as the header of a file has room for, beside what else is in it. */
enum { WINDOW_LEAST = 2, WINDOW_MOST = 32 };

/* The generations that a spec asks for; 0: keys do not expire. UF_EINVAL for a number or a kind that cannot be. */
int window_of(const struct spec *spec, const struct filter_ops *ops, unsigned *out, uf_error *why);

/* ops->plan, for a spec with window=generations: its fpr is that of the whole, the other numbers those of one. */
int window_plan(const struct filter_ops *ops, struct spec *spec, unsigned generations, uf_error *why);

/* The plan of one generation. */
int window_generation(const struct filter_ops *ops, struct spec *plan, unsigned generations, uf_error *why);

/* A window whose newest generation is this filter, which it then owns; the others are empty. Without words when that
 * has none. */
int window_wrap(uf_filter *newest, unsigned generations, uint32_t policy, const uf_context *ctx, uf_filter **out,
                uf_error *why);

#endif
