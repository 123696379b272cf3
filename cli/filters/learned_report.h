/* SPDX-License-Identifier: MIT */
/* The parts of a learned filter, for people and as JSON. */
#ifndef CLI_LEARNED_REPORT_H
#define CLI_LEARNED_REPORT_H

#include <jansson.h>

#include "ultrafilter.h"

void learned_print(const uf_learned *learned);
json_t *learned_object(const uf_learned *learned); /* NULL when there is no memory */

#endif
