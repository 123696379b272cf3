/* SPDX-License-Identifier: MIT */
/* The exact filter to keep when private copies of it will be published. */
#ifndef CLI_RELEASE_SHAPE_H
#define CLI_RELEASE_SHAPE_H

#include "args.h"
#include "ultrafilter.h"

/* The best one for a promise, a capacity and a size (0: the library's): out->keep is its spec, fpr and fnr are those of
 * its copies. Any uf_status. */
int release_shape(double epsilon, uint64_t n, double bits_per_key, uf_design *out, uf_error *why);

/* The same from --epsilon, -n and --bits-per-key; keyed when there is a key. EXIT_FINE, or EXIT_ERROR after a message.
 */
int release_shape_spec(const struct args *args, uf_spec *out);

#endif
