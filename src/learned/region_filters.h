/* SPDX-License-Identifier: MIT */
/* From a design to a filter: the model, and the filters of the regions. */
#ifndef UF_REGION_FILTERS_H
#define UF_REGION_FILTERS_H

#include "design_regions.h"

int learner_build(const struct learner *learner, const struct region_design *design, uf_filter **out, uf_error *why);

/* One filter of all keys, without a model: where that is smaller. */
int learner_build_plain(const struct learner *learner, uf_filter **out, uf_error *why);

#endif
