/* SPDX-License-Identifier: MIT */
/* From scores to regions: which ones, and at what rates. */
#ifndef UF_DESIGN_REGIONS_H
#define UF_DESIGN_REGIONS_H

#include "learner.h"

/* What was chosen: regions and what they were chosen from. */
struct region_design {
    struct regions regions;
    double auc;
    uint64_t valid;           /* different negatives that were used */
    uint64_t overlap;         /* that were keys: not used, unless the filter hides its keys */
    uint64_t repeated, known; /* lines that came before, and negatives that were trained on: not used */
};

/* What the regions should be. */
struct regions_request learner_regions(const struct learner *learner);

int learner_design(const struct learner *learner, struct region_design *out, uf_error *why);

#endif
