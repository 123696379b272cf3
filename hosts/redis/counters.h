/* SPDX-License-Identifier: MIT */
/* What INFO shows. Changed by the main thread alone, but for failed loads, of which a lost one does no harm. */
#ifndef UFR_COUNTERS_H
#define UFR_COUNTERS_H

#include "host.h"

struct counters {
    uint64_t queried, added, refused, removed; /* items */
    uint64_t created, releases, jobs;
    uint64_t refused_loads, locked_replies;
};

extern struct counters counters;

void counters_info(RedisModuleInfoCtx *ctx, int for_crash_report);

#endif
