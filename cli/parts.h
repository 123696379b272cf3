/* SPDX-License-Identifier: MIT */
/* The parts of a learned filter, for people and as JSON. */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include <jansson.h>

#include "ultrafilter.h"

void parts_print(const uf_learned *learned);
json_t *parts_object(const uf_learned *learned); /* NULL when there is no memory */

#endif
