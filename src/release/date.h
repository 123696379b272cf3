/* SPDX-License-Identifier: MIT */
/* Moments as people write them: 2026-11-15T17:22:14Z, in UTC, which sorts as text. */
#ifndef UF_DATE_H
#define UF_DATE_H

#include "ultrafilter.h"

/* Of seconds since 1970. 0 when that is no year from 1 to 9999. */
int date_format(int64_t seconds, char out[UF_DATE_SIZE]);

/* Whether a text is such a date: its digits are where they belong and none of its parts is too large. */
int date_fits(const char *text);

#endif
