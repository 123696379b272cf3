/* SPDX-License-Identifier: MIT */
/* Keys of experiments: master keys that are in no file, from randomness that may be repeatable. */
#ifndef LAB_KEYRING_H
#define LAB_KEYRING_H

#include "ultrafilter.h"

/* A key from ctx->random, or from the system's randomness. */
int keyring_draw(const uf_context *ctx, uf_secret **out, uf_error *why);

#endif
