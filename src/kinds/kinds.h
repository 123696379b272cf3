/* SPDX-License-Identifier: MIT */
/* Every kind there is, one file each. */
#ifndef UF_KINDS_H
#define UF_KINDS_H

#include "ops.h"

extern const struct filter_ops kind_bloom, kind_blocked, kind_ribbon, kind_dcso;
extern const struct filter_ops kind_counting, kind_deletable, kind_tombstone; /* kinds that remove */
extern const struct filter_ops kind_dpset, kind_ultra;                        /* private */
extern const struct filter_ops kind_learned, kind_sandwich, kind_partition;   /* with a model inside */
extern const struct filter_ops kind_uptown;                                   /* the same over permuted keys */
extern const struct filter_ops kind_downtown, kind_robust; /* the same, each filter with a key of its own */

#endif
