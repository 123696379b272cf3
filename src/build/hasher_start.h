/* SPDX-License-Identifier: MIT */
/* The seeds of filters, and the hashers that start from them. */
#ifndef UF_HASHER_START_H
#define UF_HASHER_START_H

#include "ops.h"

/* The seed that a secret gives to filters of this spec: repeatable, for those that must be. label: of a release, NULL
 * for filters that are none. */
uint64_t seed_from_secret(const struct filter_ops *ops, const struct spec *spec, const uf_secret *secret,
                          const char *label);

/* A hasher for a new filter: with the spec's seed, one of the secret's or a random one, and with the key when it has
 * one. */
int hasher_start(const struct filter_ops *ops, const struct spec *want, const uf_context *ctx, struct hasher *out,
                 uf_error *why);

#endif
