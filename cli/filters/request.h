/* SPDX-License-Identifier: MIT */
/* From -n, -p, --bits and --bits-per-key to a spec. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "args.h"
#include "ultrafilter.h"

/* Makes the spec of `kind` with the numbers that were given. A uf_status. */
int request_spec(const struct args *args, const char *kind, uf_spec *out, uf_error *why);

/* The same, keyed where there is --key-file and the kind is not so by nature, with --prf. */
int request_keyed_spec(const struct args *args, const char *kind, uf_spec *out, uf_error *why);

/* An error when two of the options contradict each other. */
int request_check(const struct args *args);

/* An error when one of them was given beside `whole`, which says everything at once. */
int request_exclusive(const struct args *args, const struct option *whole);

#endif
