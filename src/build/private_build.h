/* SPDX-License-Identifier: MIT */
/* Private filters from all their keys: where their coins come from, and their capacity when nobody declared it. */
#ifndef UF_PRIVATE_BUILD_H
#define UF_PRIVATE_BUILD_H

#include "ops.h"

int private_build(const struct filter_ops *ops, const struct spec *want, const struct hasher *hasher,
                  struct hash_runs *runs, const uf_context *ctx, uf_filter **out, uf_error *why);

#endif
