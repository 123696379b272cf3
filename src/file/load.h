/* SPDX-License-Identifier: MIT */
#ifndef UF_LOAD_H
#define UF_LOAD_H

#include "root.h"
#include "ultrafilter.h"

/* Loads as uf_load does, and says what the root is of the bytes that were loaded. With out NULL the filter is only
 * checked, and needs no key. */
int load_rooted(const char *path, const uf_context *ctx, struct file_root *root, uf_filter **out, uf_error *why);

/* A handle that can be described and nothing else: it needs no key. */
int load_for_description(const char *path, unsigned how, const uf_context *ctx, uf_filter **out, uf_error *why);

#endif
