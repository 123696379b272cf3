/* SPDX-License-Identifier: MIT */
/* Kinds by name and by number, and specs that name one. */
#ifndef UF_TABLE_H
#define UF_TABLE_H

#include "filter.h"

const struct filter_ops *kind_by_name(const char *name); /* NULL when there is none */
const struct filter_ops *kind_by_id(uint64_t id);

/* Parses a spec and checks its kind and names. */
int spec_read(const char *text, struct spec *out, const struct filter_ops **ops, uf_error *why);

/* Whether a spec of this kind may have a parameter of this name. */
int spec_takes(const struct filter_ops *ops, const struct spec *spec, const char *name);

/* ops->plan, for the whole of a filter that grows. */
int spec_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why);

#endif
