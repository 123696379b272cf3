/* SPDX-License-Identifier: MIT */
#include "spec.h"

#include <string.h>

int spec_is_kind(const uf_spec *spec, const char *kind)
{
    size_t length = strcspn(spec->text, ":");
    return strlen(kind) == length && !memcmp(spec->text, kind, length);
}

int spec_is_keyed(const uf_spec *spec)
{
    uf_spec trial = *spec;
    return uf_spec_set(&trial, "prf", "siphash", NULL) == UF_OK;
}

int spec_has(const uf_spec *spec, const char *name)
{
    double value;
    return uf_spec_get(spec, name, &value) == UF_OK;
}
