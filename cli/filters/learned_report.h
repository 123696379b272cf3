/* SPDX-License-Identifier: MIT */
/* The parts of a learned filter, for people and as JSON. */
#ifndef CLI_LEARNED_REPORT_H
#define CLI_LEARNED_REPORT_H

#include <jansson.h>

#include "ultrafilter.h"

struct learned_report {
    uf_learned learned; /* children is NULL: it is not a learned filter */
    uf_region region[UF_MOST_REGIONS];
};

void learned_print(const struct learned_report *report);
json_t *learned_object(const struct learned_report *report); /* NULL when there is no memory */

#endif
