/* SPDX-License-Identifier: MIT */
/* Data that a file carries behind the filter, which only the DCSO format does: memory of the filter's own. */
#ifndef UF_ATTACHED_H
#define UF_ATTACHED_H

#include "filter.h"

/* Memory for so many bytes (not 0), which the filter can own. NULL: UF_ENOMEM, said in `why`. */
void *attached_room(const uf_filter *filter, size_t bytes, uf_error *why);

/* Replaces what there is by a copy of `data`, which may be a part of it. No bytes: there is none afterwards. */
int attached_set(uf_filter *filter, const void *data, size_t bytes, uf_error *why);

#endif
