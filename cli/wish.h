/* SPDX-License-Identifier: MIT */
/* From -n, -p, --bits and --bits-per-key to a spec. */
#ifndef CLI_WISH_H
#define CLI_WISH_H

#include "args.h"
#include "ultrafilter.h"

/* Makes the spec of `kind` with the numbers that were given. A uf_status. */
int wish_spec(const struct args *args, const char *kind, uf_spec *out, uf_error *why);

/* An error when two of the options contradict each other. */
int wish_check(const struct args *args);

#endif
