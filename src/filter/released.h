/* SPDX-License-Identifier: MIT */
/* What a release changes of a filter's figures and claim. */
#ifndef UF_RELEASED_H
#define UF_RELEASED_H

#include "ops.h"

void released_info(const struct uf_filter *filter, uf_info *out);
void released_claim(const struct uf_filter *filter, uf_claim *out);

#endif
