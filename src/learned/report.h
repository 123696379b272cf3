/* SPDX-License-Identifier: MIT */
/* What is known of a learned filter, planned or built. */
#ifndef UF_LEARNED_REPORT_H
#define UF_LEARNED_REPORT_H

#include "design_regions.h"

/* From a filter, or, when it is NULL, from what was planned. */
void learner_report(const struct learner *learner, const struct region_design *design, const uf_filter *filter,
                    uf_learned *out);

#endif
