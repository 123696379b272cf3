/* SPDX-License-Identifier: MIT */
#include "count.h"

#include <math.h>

#include "rounding.h"

/* P[noise < -m] <= a^m, so m >= 40 ln 2 / epsilon. */
uint64_t count_margin(uint64_t threshold)
{
    return (uint64_t)ceil(40 * M_LN2 / -log(threshold_rate(threshold))) + 1;
}
