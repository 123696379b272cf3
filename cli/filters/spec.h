/* SPDX-License-Identifier: MIT */
/* Questions about a spec. */
#ifndef CLI_SPEC_H
#define CLI_SPEC_H

#include "ultrafilter.h"

/* Is it of this kind, keyed or not? */
int spec_is_kind(const uf_spec *spec, const char *kind);

/* enum uf_trait, of its kind. */
int spec_has_trait(const uf_spec *spec, unsigned trait);

/* Does the spec say this word? */
int spec_is(const uf_spec *spec, const char *name, const char *value);

/* Does the spec say this number? */
int spec_has(const uf_spec *spec, const char *name);

/* Says that a filter cannot be the model of another one, since it is private. EXIT_ERROR. */
int print_private_model(const char *path);

#endif
