/* SPDX-License-Identifier: MIT */
#include "spec.h"

#include <string.h>

#include "message.h"

int spec_is_kind(const uf_spec *spec, const char *kind)
{
    const char *own = uf_spec_kind(spec);
    return own && !strcmp(own, kind);
}

int spec_has_trait(const uf_spec *spec, unsigned trait)
{
    return (uf_kind_traits(uf_spec_kind(spec)) & trait) != 0;
}

int print_private_model(const char *path)
{
    return print_error("%s: is private, and releasing its keys again costs epsilon again: use publish", path);
}

int spec_is(const uf_spec *spec, const char *name, const char *value)
{
    char text[64];
    return uf_spec_get_text(spec, name, text, sizeof text) == UF_OK && !strcmp(text, value);
}

int spec_has(const uf_spec *spec, const char *name)
{
    char text[sizeof spec->text];
    return uf_spec_get_text(spec, name, text, sizeof text) == UF_OK;
}
