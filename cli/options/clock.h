/* SPDX-License-Identifier: MIT */
/* The moment of a run, for dates that are kept: now, or that of SOURCE_DATE_EPOCH, so that a run can be repeated. */
#ifndef UF_CLOCK_H
#define UF_CLOCK_H

#include <stdint.h>

/* Seconds since 1970, or an error that was printed. */
int clock_read(int64_t *seconds);

#endif
