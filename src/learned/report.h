/* SPDX-License-Identifier: MIT */
/* What is known of a learned filter, planned or built. */
#ifndef UF_LEARNED_REPORT_H
#define UF_LEARNED_REPORT_H

#include "design_regions.h"

struct learned_report {
    uf_learned about;
    uf_region region[UF_MOST_REGIONS];
};

/* From a filter, or, when it is NULL, from what was planned. */
void learner_report(const struct learner *learner, const struct region_design *design, const uf_filter *filter,
                    struct learned_report *out);

/* Keeps it with a plain filter that was built instead. */
int report_keep(uf_filter *filter, const struct learned_report *report, uf_error *why);

#endif
