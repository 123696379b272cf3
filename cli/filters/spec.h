/* SPDX-License-Identifier: MIT */
/* Questions about a spec. */
#ifndef CLI_SPEC_H
#define CLI_SPEC_H

#include "ultrafilter.h"

/* Is it of this kind, and not keyed? */
int spec_is_kind(const uf_spec *spec, const char *kind);

int spec_is_keyed(const uf_spec *spec);

/* Does the spec say this number? */
int spec_has(const uf_spec *spec, const char *name);

#endif
