/* SPDX-License-Identifier: MIT */
#ifndef LAB_REFUSE_H
#define LAB_REFUSE_H

#include <stdarg.h>
#include <stdio.h>

#include "ultrafilter.h"

/* Writes down why, and returns the status. */
__attribute__((format(printf, 3, 4))) static inline int refuse(uf_error *why, int status, const char *format, ...)
{
    if (why) {
        va_list values;
        va_start(values, format);
        why->status = status;
        (void)vsnprintf(why->text, sizeof why->text, format, values);
        va_end(values);
    }
    return status;
}

#endif
