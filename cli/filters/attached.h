/* SPDX-License-Identifier: MIT */
/* --data keep|drop: what becomes of the bytes that a file of DCSO's bloom carries behind its filter. */
#ifndef CLI_ATTACHED_H
#define CLI_ATTACHED_H

#include "args.h"
#include "ultrafilter.h"

extern const struct option option_data;

/* For a filter that came from `path` and is about to be saved in this format: what has no place there, or is not
 * wanted, is dropped; with a warning unless --data drop says so, and an error when --data keep says otherwise.
 * EXIT_FINE, or EXIT_ERROR after a message. */
int attached_settle(const struct args *args, const char *path, uf_filter *filter, unsigned format);

/* The same for a filter from `path` that became a part of a union, `into`, of which the first operand was the
 * beginning, before that is settled: a union has the data of the first. */
int attached_join(const struct args *args, const char *path, const uf_filter *from, const uf_filter *into,
                  unsigned format);

#endif
