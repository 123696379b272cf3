/* SPDX-License-Identifier: MIT */
#ifndef UF_DCSO_H
#define UF_DCSO_H

#include "ops.h"

enum { DCSO_HEAD = 48 }; /* bytes before the words */

/* The DCSO file format, which only kind_dcso knows. `sink` returns a status, which is that of the call when it fails.
 */
int dcso_write(const struct uf_filter *filter, int (*sink)(void *arg, const void *data, size_t bytes), void *arg,
               uf_error *why);

#endif
