/* SPDX-License-Identifier: MIT */
/* The mechanisms that release a set (privacy/mark.h): from their text to a mark, and how large a release gets. */
#ifndef UF_MECHANISM_H
#define UF_MECHANISM_H

#include "mark.h"
#include "ultrafilter.h"

/* No release has more decoys than this; 2^36 keys are 80 GB of filter and hours of hashing. */
#define RELEASE_MOST (UINT64_C(1) << 36)

/* "dime:epsilon=3" or "nickel:epsilon=3" for a universe of so many keys. The threshold is rounded towards privacy. */
int mechanism_parse(const char *how, uint64_t universe, struct release_mark *out, uf_error *why);

/* U q: how many keys that are no members a release of few members has. Nothing here looks at the members: whether there
 * is a release must not depend on how many they are. */
double mechanism_decoys(const struct release_mark *mark);

/* The epsilon at which that is `most`. */
double mechanism_epsilon_for(const struct release_mark *mark, double most);

/* UF_EIMPOSSIBLE, with the size and the epsilon that would do, when a release would have more than RELEASE_MOST. */
int mechanism_check_size(const struct release_mark *mark, uf_error *why);

#endif
