/* SPDX-License-Identifier: MIT */
#ifndef LAB_REFUSE_H
#define LAB_REFUSE_H

#include <stdio.h>

#include "ultrafilter.h"

/* Writes down why, and returns the status. */
static inline int refuse(uf_error *why, int status, const char *text)
{
    if (why) {
        why->status = status;
        (void)snprintf(why->text, sizeof why->text, "%s", text);
    }
    return status;
}

#endif
