/* SPDX-License-Identifier: MIT */
#ifndef UF_TWINS_H
#define UF_TWINS_H

#include "ultrafilter.h"

/* UF_OK when two filters can be united: of one kind that can, with equal parameters, seed and key. Otherwise why not.
 */
int twins_check(const uf_filter *a, const uf_filter *b, uf_error *why);

#endif
