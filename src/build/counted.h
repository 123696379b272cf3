/* SPDX-License-Identifier: MIT */
#ifndef UF_COUNTED_H
#define UF_COUNTED_H

#include "ultrafilter.h"

/* The spec, with n = count when it says neither n nor bits. */
int spec_with_count(const uf_spec *want, uint64_t count, uf_spec *out, uf_error *why);

#endif
