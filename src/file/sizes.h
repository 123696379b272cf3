/* SPDX-License-Identifier: MIT */
#ifndef UF_SIZES_H
#define UF_SIZES_H

#include "filter.h"

/* Of a filter whose params and children are known; its words need not be there. */
void sizes_of(const uf_filter *filter, uf_sizes *out);

#endif
