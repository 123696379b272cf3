/* SPDX-License-Identifier: MIT */
/* The mechanisms that release a set (privacy/mark.h): from their text to a mark, and how large a release gets. */
#ifndef UF_MECHANISM_H
#define UF_MECHANISM_H

#include "mark.h"
#include "ultrafilter.h"

/* No release is larger than this; 2^36 keys are 80 GB of filter and hours of hashing. */
#define RELEASE_MOST (UINT64_C(1) << 36)

/* "dime:epsilon=3" or "nickel:epsilon=3" for a universe of so many keys. The threshold is rounded towards privacy. */
int mechanism_parse(const char *how, uint64_t universe, struct release_mark *out, uf_error *why);

/* dime: n (1 - q) + (U - n) q; nickel: n + (U - n) q. */
double mechanism_expected(const struct release_mark *mark, uint64_t members);

/* The epsilon at which a release is expected to have at most so many elements; infinite when the members alone are
 * more. */
double mechanism_epsilon_for(const struct release_mark *mark, uint64_t members, double most);

/* UF_EIMPOSSIBLE, with the size and the epsilon that would do, when a release would be larger than RELEASE_MOST. */
int mechanism_check_size(const struct release_mark *mark, uint64_t members, uf_error *why);

#endif
