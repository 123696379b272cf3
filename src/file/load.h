/* SPDX-License-Identifier: MIT */
#ifndef UF_LOAD_H
#define UF_LOAD_H

#include "blob.h"
#include "compact.h"
#include "root.h"
#include "ultrafilter.h"

/* What all ways to load have in common, around the payload (chunks.h). Errors are about the bytes and do not name them.
 *
 * From the header to a handle that has its key, or is locked (UF_WITHOUT_KEY), and no words. */
int load_header(const struct file_start *start, uint64_t bytes, unsigned how, const uf_context *ctx, uf_filter **out,
                uf_error *why);

/* With the words there: what its kind knows about legal ones, what it needs of the context, how full it is. */
int load_finish(uf_filter *filter, const uf_context *ctx, uf_error *why);

/* So few bytes are no file. */
int load_too_short(uint64_t bytes, uf_error *why);

/* A DCSO file, from its first byte to its last. */
int load_dcso(const struct blob *blob, const uf_context *ctx, uf_filter **out, uf_error *why);

/* Loads as uf_load does, and says what the root is of the bytes that were loaded. With out NULL the filter is only
 * checked, and needs no key. The context was read. */
int load_rooted(const char *path, const uf_context *ctx, struct file_root *root, uf_filter **out, uf_error *why);

#endif
