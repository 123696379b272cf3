/* SPDX-License-Identifier: MIT */
/* The builder of every kind that is made of the hashes of its keys. */
#ifndef UF_HASH_BUILDER_H
#define UF_HASH_BUILDER_H

#include "ops.h"

extern const struct builder_ops hash_builder;

#endif
